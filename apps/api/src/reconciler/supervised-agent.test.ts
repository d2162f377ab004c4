import type { LogLine, Workload } from '@session/agents';
import type { AgentQueries, LiveAgentRow } from '@session/db';
import { aborted } from '@session/kit';
import { agentIdentity, type ListedParticipant } from '@session/media';
import { expect, test } from 'vitest';
import { type AgentWorld, SupervisedAgent } from './supervised-agent.ts';

const id = '01890a5d-ac96-774b-bcce-b302099a8057';
const startedAt = '2026-11-21T08:00:00.000Z';
const absent: Workload = { phase: 'absent' };
const running: Workload = { phase: 'running' };
const ended: Workload = { phase: 'ended', exitCode: 0 };
const problem = { reason: 'no_capacity', detail: 'No node has room.' } as const;

test('what was started a moment ago is not lost because nobody has seen it yet', async () => {
  const { world, told, log } = makeWorld();
  log.resolve([]);
  await using agent = new SupervisedAgent(world);
  await agent.reconcile(row(), absent);
  const started = row({ startedAt });
  await agent.reconcile(started, absent);
  expect(told).toEqual(['start', 'started']);
  await agent.reconcile(started, running);
  await agent.reconcile(started, absent);
  expect(told.at(-1)).toBe('Stopped lost');
});

test('a start that could not be noted is noted when it is seen running', async () => {
  const { world, told } = makeWorld();
  await using agent = new SupervisedAgent(world);
  await agent.reconcile(row(), running);
  expect(told).toEqual(['started']);
});

test('while nobody can look into its room its time runs out all the same', async () => {
  const { world, told } = makeWorld({ startTimeoutMs: -1 });
  await using agent = new SupervisedAgent({ ...world, rooms: { listParticipants: fail } });
  await agent.reconcile(row({ startedAt }), running);
  expect(told).toEqual(['Starting start_timeout', 'to stop: start_timeout', 'stop']);
});

test('Running is who is in the room, active and announced, and no other', async () => {
  const { world, told, present } = makeWorld();
  await using agent = new SupervisedAgent(world);
  const identity = agentIdentity({ role: 'echo-agent', agentId: id });
  const ready = { identity, state: 'active', isAnnounced: true };
  const others = [
    { ...ready, identity: 'agent-echo-agent-00000000' },
    { ...ready, state: 'joined' },
    { ...ready, isAnnounced: false },
  ];
  for (const other of others) {
    present.splice(0, 1, participant(other));
    await agent.reconcile(row({ startedAt }), running);
  }
  expect(told).toEqual([]);
  present.splice(0, 1, participant(ready));
  await agent.reconcile(row({ startedAt }), running);
  expect(told).toEqual(['Running null']);
});

test('one that is active and never announces itself is Running after a while', async () => {
  const { world, told, present } = makeWorld({ announceMs: 0 });
  await using agent = new SupervisedAgent(world);
  const identity = agentIdentity({ role: 'echo-agent', agentId: id });
  present.push(participant({ identity, state: 'active', isAnnounced: false }));
  await agent.reconcile(row({ startedAt }), running);
  expect(told).toEqual(['Running null']);
});

test('one that has the keys may be in the room under a name of its own, and others may be there', async () => {
  const { world, told, present } = makeWorld();
  const own = 'my-own-agent';
  const others = [`user-${id}-0a1b2c`, 'agent-core-agent-0a1b2c3d'];
  const active = { state: 'active', isAnnounced: true };
  present.push(...others.map((identity) => participant({ identity, ...active })));
  present.push({ ...participant({ identity: 'a-recorder', ...active }), isHidden: true });
  await using keyless = new SupervisedAgent(world);
  await using agent = new SupervisedAgent({ ...world, hasMediaKeys: true });
  await agent.reconcile(row({ startedAt }), running);
  present.push(participant({ identity: own, ...active }));
  await keyless.reconcile(row({ startedAt }), running);
  expect(told).toEqual([]);
  await agent.reconcile(row({ startedAt }), running);
  expect(told).toEqual(['Running null']);
});

test('it is Stopped when its log is stored, not before', async () => {
  const { world, told, log } = makeWorld();
  await using agent = new SupervisedAgent(world);
  const conclusion = agent.reconcile(row(), ended);
  log.resolve([{ at: 1, line: 'bye' }]);
  await conclusion;
  expect(told).toEqual(['bye', 'Stopped completed']);
});

test('a log that does not end holds up the end for a while, and no longer', async () => {
  const { world, told } = makeWorld({ logTimeoutMs: 5 });
  await using agent = new SupervisedAgent(world);
  await agent.reconcile(row(), ended);
  expect(told).toEqual(['Stopped completed']);
});

test('when it is given up while it waits, what it waits for is why', async () => {
  const { world, told } = makeWorld({ startTimeoutMs: -1 });
  await using agent = new SupervisedAgent(world);
  await agent.reconcile(row({ startedAt }), { phase: 'waiting', problem });
  expect(told).toEqual(['Starting no_capacity', 'to stop: no_capacity', 'stop']);
});

test('one that is to stop before it was started never is', async () => {
  const { world, told } = makeWorld();
  await using agent = new SupervisedAgent(world);
  await agent.reconcile(row({ desired: 'stopped', reason: 'requested' }), absent);
  expect(told).toEqual(['Stopped requested']);
});

test('a session that was closed without a word to its agents ends them', async () => {
  const { world, told, log } = makeWorld();
  log.resolve([]);
  await using agent = new SupervisedAgent(world);
  await agent.reconcile(row({ sessionStatus: 'CLOSED' }), running);
  await agent.reconcile(row({ sessionStatus: 'CLOSED' }), absent);
  expect(told).toEqual(['stop', 'Stopped session_closed']);
});

test('who takes over an agent whose template cannot be opened keeps nothing of what it says', async () => {
  const { world, told, log } = makeWorld();
  log.resolve([{ at: 1, line: 'my key is hunter2' }]);
  await using agent = new SupervisedAgent(world);
  await agent.reconcile(row({ envTemplateId: 'lost' }), ended);
  expect(told).toEqual(['••••', 'Stopped completed']);
});

function row(change: Partial<LiveAgentRow> = {}): LiveAgentRow {
  const nothing = { reason: null, detail: null, exitCode: null, planId: null, envTemplateId: null };
  const times = { startedAt: null, runningAt: null, stoppedAt: null };
  const steps = { scheduledAt: null, programStartedAt: null };
  return {
    id,
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

function participant(
  one: Pick<ListedParticipant, 'identity' | 'isAnnounced' | 'state'>,
): ListedParticipant {
  return { ...one, name: '', sid: 'PA_1', kind: 'agent', isHidden: false, joinedAt: 1 };
}

async function unused(): Promise<never> {
  throw new Error('not expected here');
}

/** A world that tells, in order, what is asked of it. */
function makeWorld(limits: Partial<AgentWorld['limits']> = {}) {
  const told: string[] = [];
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
    updateAgentState: async (_, { status, reason }) => told.push(`${status} ${reason}`) > 0,
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
  return { world, told, present, log };
}

async function fail(): Promise<never> {
  throw new Error('no media server');
}
