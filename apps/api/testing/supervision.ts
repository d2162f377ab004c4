import { CATALOGUE, type LogLine } from '@session/agents';
import type { LiveAgentRow } from '@session/db';
import { aborted } from '@session/kit';
import type { ListedParticipant } from '@session/media';
import type { SupervisionDeps } from '../src/background/reconciler/supervision.ts';
import { createMetrics } from '../src/http/metrics/metrics.ts';
import { fakeDatabase, type StatementAnswer } from './answered-database.ts';

export const AGENT_ID = '01890a5d-ac96-774b-bcce-b302099a8057';

/** Returns the row of an agent that was requested a moment ago, with a `change`. */
export function agentRow(change: Partial<LiveAgentRow> = {}): LiveAgentRow {
  const nothing = { reason: null, detail: null, exitCode: null, planId: null, envTemplateId: null };
  const template = { agentTemplateId: null, agentTemplateVersion: null };
  const times = { startedAt: null, runningAt: null, stoppedAt: null };
  const steps = { scheduledAt: null, programStartedAt: null };
  const restart = {
    restartPolicy: 'never',
    restarts: 0,
    restartInMs: null,
    endsMsAgo: [],
  } as const;
  const createdAt = '2026-11-21T08:00:00.000Z';
  return {
    id: AGENT_ID,
    sessionId: '01890a5d-ac96-774b-bcce-b302099a8058',
    projectId: '01890a5d-ac96-774b-bcce-b302099a8059',
    role: 'echo-agent',
    desired: 'running',
    status: 'Starting',
    sessionStatus: 'ACTIVE',
    config: {},
    createdBy: 'ana',
    traceparent: null,
    createdAt,
    missedSince: createdAt,
    nowMs: Date.parse(createdAt),
    joinedAt: null,
    isSuccessor: false,
    firstLine: null,
    ...nothing,
    ...template,
    ...times,
    ...steps,
    ...restart,
    ...change,
  };
}

/** Returns the participant of an agent's program. */
export function participant(
  one: Pick<ListedParticipant, 'identity' | 'isAnnounced' | 'state'>,
): ListedParticipant {
  const agent = { name: '', sid: 'PA_1', kind: 'agent', isHidden: false, readsTexts: true };
  return { ...one, ...agent, joinedAt: 1, trackSids: [] };
}

/** Returns an agent as the statement `list_live_agents` does. */
export function storedAgent(row: LiveAgentRow) {
  const { config, endsMsAgo, firstLine: _line, joinedAt: _at, missedSince: _since, ...rest } = row;
  const nowMs = Date.now();
  return {
    ...rest,
    config: JSON.stringify(config),
    ends: JSON.stringify(endsMsAgo.map((ms) => ({ reason: '', endedAt: nowMs - ms }))),
    nowMs,
  };
}

/** Sealed values that no key opens. */
const UNREADABLE = { keyId: 'lost', nonce: Buffer.alloc(12), ciphertext: Buffer.alloc(16) };

const LIMITS: SupervisionDeps['limits'] = {
  startTimeoutMs: 60_000,
  maxDurationMs: 60_000,
  graceSeconds: 1,
  logTimeoutMs: 60_000,
  announceTimeoutMs: 60_000,
  restartDelaysMs: [500],
  externalPollMs: 0,
  externalGraceMs: 0,
  externalWaitMs: 60_000,
};

const AGENTS: SupervisionDeps['agents'] = {
  mediaUrl: 'ws://127.0.0.1:1',
  hasMediaKeys: false,
  speechUrl: undefined,
  modelNetworks: [],
  toolNetworks: [],
  traceVariables: {},
  proxies: {},
  roles: CATALOGUE,
};

async function unused(): Promise<never> {
  throw new Error('not expected here');
}

const UNUSED_ROOMS = {
  createRoom: unused,
  deleteRoom: unused,
  listRooms: unused,
  findRooms: unused,
  announceParticipant: unused,
  hasParticipant: unused,
  sendPacket: unused,
  askAgain: unused,
};

/**
 * Returns fakes for all that the supervision of an agent uses. `calls` lists the calls to them and the stored log lines.
 * `answer` comes before the fake of the database.
 */
export function fakeSupervision(
  limits: Partial<SupervisionDeps['limits']> = {},
  answer: StatementAnswer = () => undefined,
) {
  const calls: string[] = [];
  /** The details that were written to the agent's row. */
  const details: (string | null)[] = [];
  const participants: ListedParticipant[] = [];
  /** Resolves with the agent's output: its log is open until then. */
  const output = Promise.withResolvers<LogLine[]>();
  const changed = [{}];
  const answers: Readonly<Record<string, (parameters: readonly unknown[]) => object[]>> = {
    request_agent_stop([, reason]) {
      calls.push(`to stop: ${String(reason)}`);
      return changed;
    },
    mark_agent_started() {
      calls.push('started');
      return [];
    },
    restart_agent([, reason, delayMs]) {
      calls.push(`restart ${String(reason)} in ${String(delayMs)} ms`);
      return changed;
    },
    update_agent_state([, status, reason, detail]) {
      details.push(typeof detail === 'string' ? detail : null);
      calls.push(`${String(status)} ${String(reason)}`);
      return changed;
    },
    find_log_end: () => [],
    append_log([, , , , , lines]) {
      calls.push(...(Array.isArray(lines) ? lines : []));
      return [{ nextLine: '0', nextByte: '0' }];
    },
    read_agent_secrets: () => [],
    read_env_template: ([id]) => [{ id, projectId: id, hosts: '{}', ...UNREADABLE }],
    list_newest_words: () => [],
    list_texts_after: () => [],
    read_clock: () => [{ nowMs: Date.now() }],
  };
  const deps: SupervisionDeps = {
    database: fakeDatabase((name, parameters) => {
      const rows = answers[name];
      return answer(name, parameters) ?? (rows ? Promise.resolve(rows(parameters)) : unused());
    }),
    launcher: {
      start: async () => void calls.push('start'),
      stop: async () => void calls.push('stop'),
      remove: async () => {},
      startTimes: () => ({}),
      async *observe() {},
      async *logs(_, { signal = new AbortController().signal } = {}) {
        yield* (await Promise.race([output.promise, aborted(signal)])) ?? [];
      },
      [Symbol.asyncDispose]: async () => output.resolve([]),
    },
    rooms: {
      ...UNUSED_ROOMS,
      listParticipants: async () => participants,
      sendPacketTo: unused,
      removeParticipant: async (_, identity) => void calls.push(`remove ${identity}`),
    },
    media: { url: 'ws://127.0.0.1:1', apiKey: 'key', apiSecret: 'secret'.repeat(6) },
    agents: AGENTS,
    limits: { ...LIMITS, ...limits },
    metrics: createMetrics(),
    traces: undefined,
    vault: { keyId: 'known', formerKeyIds: [], open: () => undefined, seal: () => UNREADABLE },
    flushMs: 1,
    retryMs: 1,
    ledSince: () => Number.NEGATIVE_INFINITY,
    log: { error: () => {}, info: () => {}, warn: () => {} },
  };
  return { deps, calls, details, participants, output };
}
