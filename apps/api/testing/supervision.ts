import type { LogLine } from '@session/agents';
import type { AgentQueries, LiveAgentRow } from '@session/db';
import { aborted } from '@session/kit';
import type { ListedParticipant } from '@session/media';
import type { SupervisionDeps } from '../src/background/reconciler/supervised-agent.ts';

export const AGENT_ID = '01890a5d-ac96-774b-bcce-b302099a8057';

/** Returns the row of an agent that was requested a moment ago, with a `change`. */
export function agentRow(change: Partial<LiveAgentRow> = {}): LiveAgentRow {
  const nothing = { reason: null, detail: null, exitCode: null, planId: null, envTemplateId: null };
  const times = { startedAt: null, runningAt: null, stoppedAt: null };
  const steps = { scheduledAt: null, programStartedAt: null };
  const restart = {
    restartPolicy: 'never',
    restarts: 0,
    restartInMs: null,
    endsMsAgo: [],
  } as const;
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
    createdAt: '2026-11-21T08:00:00.000Z',
    ...nothing,
    ...times,
    ...steps,
    ...restart,
    ...change,
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
};

async function unused(): Promise<never> {
  throw new Error('not expected here');
}

const UNUSED_QUERIES = {
  insertAgent: unused,
  findAgent: unused,
  listAgents: unused,
  listLiveAgentsOf: unused,
  listLiveAgents: unused,
  countLiveAgents: unused,
  hasLiveAgent: unused,
};

/** Returns fakes for all that the supervision of an agent uses. `calls` lists the calls to them and the stored log lines. */
export function fakeSupervision(limits: Partial<SupervisionDeps['limits']> = {}) {
  const calls: string[] = [];
  /** The details that were written to the agent's row. */
  const details: (string | null)[] = [];
  const participants: ListedParticipant[] = [];
  /** Resolves with the agent's output: its log is open until then. */
  const output = Promise.withResolvers<LogLine[]>();
  const agents: AgentQueries = {
    ...UNUSED_QUERIES,
    requestAgentStop: async (_, reason) => calls.push(`to stop: ${reason}`) > 0,
    markAgentStarted: async () => void calls.push('started'),
    restartAgent: async (_, { reason, delayMs }) =>
      calls.push(`restart ${reason} in ${delayMs} ms`) > 0,
    updateAgentState: async (_, { status, reason, detail }) => {
      details.push(detail);
      return calls.push(`${status} ${reason}`) > 0;
    },
  };
  const end = { nextLine: 0, nextByte: 0, lastAt: null };
  const deps: SupervisionDeps = {
    agents,
    agentTimeline: { noteStartTimes: unused },
    agentLogs: {
      findLogEnd: async () => end,
      async appendLog(_, __, lines) {
        calls.push(...lines.map(({ line }) => line));
        return end;
      },
    },
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
      listParticipants: async () => participants,
      sendPacketTo: unused,
      removeParticipant: async (_, identity) => void calls.push(`remove ${identity}`),
    },
    media: { url: 'ws://127.0.0.1:1', apiKey: 'key', apiSecret: 'secret'.repeat(6) },
    limits: { ...LIMITS, ...limits },
    metrics: {
      agentEnds: { inc: () => {} },
      agentJoinDuration: { observe: () => {} },
      agentRestarts: { inc: () => {} },
    },
    envTemplates: {
      readEnvTemplate: async (lost) => ({ id: lost, projectId: lost, ...UNREADABLE }),
    },
    agentSecrets: { insertAgentSecrets: unused, readAgentSecrets: async () => undefined },
    planTemplates: { readPlanTemplate: unused },
    messages: {
      listNewestWords: async () => [],
      listStateMessages: unused,
      listTextsAfter: async () => [],
    },
    speechUrl: undefined,
    traceVariables: {},
    traces: undefined,
    hasMediaKeys: false,
    proxies: {},
    vault: { open: () => undefined, seal: () => UNREADABLE },
    flushMs: 1,
    retryMs: 1,
    log: { error: () => {}, info: () => {}, warn: () => {} },
  };
  return { deps, calls, details, participants, output };
}
