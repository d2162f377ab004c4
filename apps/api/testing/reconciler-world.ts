import type { LogLine } from '@session/agents';
import type { AgentQueries, LiveAgentRow } from '@session/db';
import { aborted } from '@session/kit';
import type { ListedParticipant } from '@session/media';
import type { AgentWorld } from '../src/background/reconciler/supervised-agent.ts';

export const AGENT_ID = '01890a5d-ac96-774b-bcce-b302099a8057';

/** Gives the row of an agent that was asked for a moment ago, with a `change`. */
export function agentRow(change: Partial<LiveAgentRow> = {}): LiveAgentRow {
  const nothing = { reason: null, detail: null, exitCode: null, planId: null, envTemplateId: null };
  const times = { startedAt: null, runningAt: null, stoppedAt: null };
  const steps = { scheduledAt: null, programStartedAt: null };
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
    createdAt: '2026-11-21T08:00:00.000Z',
    ...nothing,
    ...times,
    ...steps,
    ...change,
  };
}

async function unused(): Promise<never> {
  throw new Error('not expected here');
}

/** A world that tells, in order, what is asked of it. */
export function makeWorld(limits: Partial<AgentWorld['limits']> = {}) {
  const told: string[] = [];
  /** What users read of its state. */
  const details: (string | null)[] = [];
  const present: ListedParticipant[] = [];
  const log = Promise.withResolvers<LogLine[]>();
  const agents: AgentQueries = {
    insertAgent: unused,
    findAgent: unused,
    listAgents: unused,
    listLiveAgents: unused,
    countLiveAgents: unused,
    hasLiveAgent: unused,
    requestAgentStop: async (_, reason) => told.push(`to stop: ${reason}`) > 0,
    markAgentStarted: async () => void told.push('started'),
    updateAgentState: async (_, { status, reason, detail }) => {
      details.push(detail);
      return told.push(`${status} ${reason}`) > 0;
    },
  };
  const end = { nextLine: 0, nextByte: 0, lastAt: null };
  const world: AgentWorld = {
    agents,
    agentTimeline: { noteStartTimes: unused },
    agentLogs: {
      findLogEnd: async () => end,
      async appendLog(_, __, lines) {
        told.push(...lines.map(({ line }) => line));
        return end;
      },
    },
    launcher: {
      start: async () => void told.push('start'),
      stop: async () => void told.push('stop'),
      remove: async () => {},
      startTimes: () => ({}),
      async *observe() {},
      async *logs(_, { signal = new AbortController().signal } = {}) {
        yield* (await Promise.race([log.promise, aborted(signal)])) ?? [];
      },
      [Symbol.asyncDispose]: async () => log.resolve([]),
    },
    rooms: { listParticipants: async () => present },
    media: { url: 'ws://127.0.0.1:1', apiKey: 'key', apiSecret: 'secret'.repeat(6) },
    limits: {
      startTimeoutMs: 60_000,
      maxDurationMs: 60_000,
      graceSeconds: 1,
      logTimeoutMs: 60_000,
      announceMs: 60_000,
      ...limits,
    },
    envTemplates: {
      readEnvTemplate: async (lost) => ({
        id: lost,
        projectId: lost,
        keyId: lost,
        nonce: Buffer.alloc(12),
        ciphertext: Buffer.alloc(16),
      }),
    },
    planTemplates: { readPlanTemplate: unused },
    hasMediaKeys: false,
    vault: { open: () => undefined },
    flushMs: 1,
    retryMs: 1,
    log: { error: () => {}, info: () => {}, warn: () => {} },
  };
  return { world, told, details, present, log };
}
