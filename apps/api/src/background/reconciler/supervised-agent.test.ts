import { LaunchDelayed, type Workload } from '@session/agents';
import { agentIdentity } from '@session/contract/room';
import { passTime, startVirtualTime } from '@session/testing/virtual-time';
import { beforeEach, expect, test, vi } from 'vitest';
import {
  fakeSupervision,
  AGENT_ID as id,
  participant,
  agentRow as row,
} from '../../../testing/supervision.ts';
import { SupervisedAgent } from './supervised-agent.ts';

const startedAt = '2026-11-21T08:00:00.000Z';
const absent: Workload = { phase: 'absent' };
const running: Workload = { phase: 'running' };
const ended: Workload = { phase: 'ended', exitCode: 0 };
const removal = `remove ${agentIdentity({ role: 'echo-agent', agentId: id })}`;
const problem = { reason: 'no_capacity', detail: 'No node has room.' } as const;

beforeEach(() => startVirtualTime(Date.parse(startedAt)));

test('an agent that was just started is not lost because its workload was not observed yet', async () => {
  const { deps, calls, output } = fakeSupervision();
  output.resolve([]);
  await using agent = new SupervisedAgent(deps);
  await agent.reconcile(row(), absent);
  const started = row({ startedAt });
  await agent.reconcile(started, absent);
  expect(calls).toEqual(['start', 'started']);
  await agent.reconcile(started, running);
  await agent.reconcile(started, absent);
  expect(calls.slice(2)).toEqual(['Stopped lost', removal]);
});

test('a start that could not be marked is marked once the workload is observed', async () => {
  const { deps, calls } = fakeSupervision();
  await using agent = new SupervisedAgent(deps);
  await agent.reconcile(row(), running);
  expect(calls).toEqual(['started']);
});

test('an agent’s longest duration counts from its start, also after another process led meanwhile', async () => {
  const maxDurationMs = 86_400_000;
  const { deps, calls } = fakeSupervision({ maxDurationMs });
  const old = row({ startedAt, status: 'Running' });
  await using former = new SupervisedAgent(deps);
  vi.advanceTimersByTime(maxDurationMs);
  await former.reconcile(old, running);
  expect(calls).toEqual([]);
  vi.advanceTimersByTime(1);
  await using next = new SupervisedAgent(deps);
  await next.reconcile(old, running);
  expect(calls).toEqual(['Running max_duration', 'to stop: max_duration', 'stop']);
});

test('a restart that is due after the longest duration starts no program', async () => {
  const { deps, calls } = fakeSupervision({ maxDurationMs: 1000 });
  await using agent = new SupervisedAgent(deps);
  vi.advanceTimersByTime(1001);
  await agent.reconcile(row({ startedAt, restarts: 1, restartInMs: -1 }), absent);
  expect(calls).toEqual(['Stopped max_duration', removal]);
});

test('a start times out also while the media server is away', async () => {
  const { deps, calls } = fakeSupervision({ startTimeoutMs: 60_000, maxDurationMs: 3_600_000 });
  await using agent = new SupervisedAgent({
    ...deps,
    rooms: { ...deps.rooms, listParticipants: fail },
  });
  vi.advanceTimersByTime(60_000);
  await agent.reconcile(row({ startedAt }), running);
  expect(calls).toEqual([]);
  vi.advanceTimersByTime(1);
  await agent.reconcile(row({ startedAt }), running);
  expect(calls).toEqual(['Starting start_timeout', 'to stop: start_timeout', 'stop']);
});

test('Running needs the agent’s own participant, active and announced', async () => {
  const { deps, calls, participants } = fakeSupervision();
  await using agent = new SupervisedAgent(deps);
  const identity = agentIdentity({ role: 'echo-agent', agentId: id });
  const ready = { identity, state: 'active', isAnnounced: true };
  const others = [
    { ...ready, identity: 'agent-echo-agent-00000000' },
    { ...ready, state: 'joined' },
    { ...ready, isAnnounced: false },
  ];
  for (const other of others) {
    participants.splice(0, 1, participant(other));
    await agent.reconcile(row({ startedAt }), running);
  }
  expect(calls).toEqual([]);
  participants.splice(0, 1, participant(ready));
  await agent.reconcile(row({ startedAt }), running);
  expect(calls).toEqual(['Running null']);
});

test('an active agent that never announces itself is Running after a while', async () => {
  const { deps, calls, participants } = fakeSupervision({ announceTimeoutMs: 5000 });
  await using agent = new SupervisedAgent(deps);
  const identity = agentIdentity({ role: 'echo-agent', agentId: id });
  participants.push(participant({ identity, state: 'active', isAnnounced: false }));
  await agent.reconcile(row({ startedAt }), running);
  vi.advanceTimersByTime(4999);
  await agent.reconcile(row({ startedAt }), running);
  expect(calls).toEqual([]);
  vi.advanceTimersByTime(1);
  await agent.reconcile(row({ startedAt }), running);
  expect(calls).toEqual(['Running null']);
});

test('an agent with the keys may use an identity of its own, which others are not mistaken for', async () => {
  const { deps, calls, participants } = fakeSupervision();
  const own = 'my-own-agent';
  const others = [`user-${id}-0a1b2c`, 'agent-core-agent-0a1b2c3d'];
  const active = { state: 'active', isAnnounced: true };
  participants.push(...others.map((identity) => participant({ identity, ...active })));
  participants.push({ ...participant({ identity: 'a-recorder', ...active }), isHidden: true });
  await using keyless = new SupervisedAgent(deps);
  await using agent = new SupervisedAgent({
    ...deps,
    agents: { ...deps.agents, hasMediaKeys: true },
  });
  await agent.reconcile(row({ startedAt }), running);
  participants.push(participant({ identity: own, ...active }));
  await keyless.reconcile(row({ startedAt }), running);
  expect(calls).toEqual([]);
  await agent.reconcile(row({ startedAt }), running);
  expect(calls).toEqual(['Running null']);
});

test('the participant that an earlier workload left in the room does not make the next one Running', async () => {
  const { deps, calls, participants } = fakeSupervision();
  const identity = agentIdentity({ role: 'echo-agent', agentId: id });
  const ghost = participant({ identity, state: 'active', isAnnounced: true });
  participants.push(ghost);
  await using agent = new SupervisedAgent(deps);
  const restarts = 1;
  await agent.reconcile(row({ startedAt, restarts, restartInMs: 0 }), absent);
  await agent.reconcile(row({ startedAt, restarts }), running);
  expect(calls).toEqual(['start', 'started']);
  // The media server lists the ghost until the other participant takes its place.
  participants.push({ ...ghost, sid: 'PA_2' });
  await agent.reconcile(row({ startedAt, restarts }), running);
  expect(calls).toEqual(['start', 'started', 'Running null']);
});

test('a media server that answers late hides no text from an agent that was restarted', async () => {
  const searched: unknown[] = [];
  const { deps } = fakeSupervision({}, (name, [, after]) => {
    if (name === 'list_texts_after') searched.push(after);
    return undefined;
  });
  const identity = agentIdentity({ role: 'echo-agent', agentId: id });
  const ready = participant({ identity, state: 'active', isAnnounced: true });
  const listParticipants = async () => {
    await passTime(2000);
    return [ready];
  };
  await using agent = new SupervisedAgent({ ...deps, rooms: { ...deps.rooms, listParticipants } });
  const missedSince = new Date(Date.now() - 1000).toISOString();
  await agent.reconcile(row({ startedAt, restarts: 1, endsMsAgo: [1000], missedSince }), running);
  await passTime(1);
  expect(searched).toEqual([missedSince]);
});

test('a restart waits for the media server: without it nobody knows which participant is the earlier one', async () => {
  const { deps, calls } = fakeSupervision();
  const rooms = { ...deps.rooms };
  await using agent = new SupervisedAgent({ ...deps, rooms });
  Object.assign(rooms, { listParticipants: fail });
  const due = row({ startedAt, restarts: 1, restartInMs: -1 });
  await expect(agent.reconcile(due, absent)).rejects.toThrow('no media server');
  expect(calls).toEqual([]);
  Object.assign(rooms, deps.rooms);
  await agent.reconcile(due, absent);
  expect(calls).toEqual(['start', 'started']);
});

test('an agent whose workload ends unasked waits for the next one if it may run on; its participant is removed in any case', async () => {
  const maxDurationMs = 3_600_000;
  const { deps, calls, output } = fakeSupervision({ maxDurationMs });
  output.resolve([]);
  const crash: Workload = { phase: 'ended', exitCode: 1 };
  const evicted: Workload = { phase: 'ended', exitCode: 0, cause: 'evicted' };
  const old = row({ startedAt, restartPolicy: 'on-failure' });
  const end = async (change: Parameters<typeof row>[0], workload: Workload) => {
    await using agent = new SupervisedAgent(deps);
    await agent.reconcile({ ...old, ...change }, workload);
    return calls.splice(0);
  };
  expect(await end({}, crash)).toEqual(['restart crashed in 500 ms', removal]);
  expect(await end({}, absent)).toEqual(['restart lost in 500 ms', removal]);
  expect(await end({}, evicted)).toEqual(['restart evicted in 500 ms']);
  expect(await end({ endsMsAgo: [1000] }, crash)).toEqual(['Stopped crashed', removal]);
  expect(await end({ restartPolicy: 'never' }, crash)).toEqual(['Stopped crashed', removal]);
  expect(await end({ desired: 'stopped' }, crash)).toEqual(['Stopped requested', removal]);
  expect(await end({}, ended)).toEqual(['Stopped completed']);
  vi.advanceTimersByTime(maxDurationMs + 1);
  expect(await end({}, crash)).toEqual(['Stopped crashed', removal]);
});

test('an agent is Stopped once its log is stored, not before', async () => {
  const { deps, calls, output } = fakeSupervision();
  await using agent = new SupervisedAgent(deps);
  const conclusion = agent.reconcile(row(), ended);
  output.resolve([{ at: 1, line: 'bye' }]);
  await conclusion;
  expect(calls).toEqual(['bye', 'Stopped completed']);
});

test('a log that does not end delays the agent’s end, but only for a while', async () => {
  const { deps, calls } = fakeSupervision({ logTimeoutMs: 100 });
  await using agent = new SupervisedAgent(deps);
  const conclusion = agent.reconcile(row(), ended);
  await passTime(99);
  expect(calls).toEqual([]);
  await passTime(1);
  await conclusion;
  expect(calls).toEqual(['Stopped completed']);
});

test('an agent that is given up while its workload waits stops for the workload’s problem', async () => {
  const { deps, calls } = fakeSupervision({ startTimeoutMs: 1000 });
  await using agent = new SupervisedAgent(deps);
  vi.advanceTimersByTime(1001);
  await agent.reconcile(row({ startedAt }), { phase: 'waiting', problem });
  expect(calls).toEqual(['Starting no_capacity', 'to stop: no_capacity', 'stop']);
});

test('the detail of a timeout names no failure of the database, and no failure that is over', async () => {
  const databaseError = new Error('Failed query: select');
  const { deps, details } = fakeSupervision({ maxDurationMs: 3_600_000 }, (name) =>
    name === 'read_env_template' ? Promise.reject(databaseError) : undefined,
  );
  const delayed = new LaunchDelayed(problem);
  const launcher = { ...deps.launcher, start: async () => Promise.reject(delayed) };
  const wanting = row({ envTemplateId: 'template' });
  await using unread = new SupervisedAgent(deps);
  await using unmade = new SupervisedAgent({ ...deps, launcher });
  const unseen = { listParticipants: fail };
  const rooms = { ...deps.rooms };
  await using alone = new SupervisedAgent({ ...deps, rooms });
  await expect(unread.reconcile(wanting, absent)).rejects.toThrow(databaseError);
  await expect(unmade.reconcile(row(), absent)).rejects.toThrow(delayed);
  Object.assign(rooms, unseen);
  await alone.reconcile(row({ startedAt }), running);
  Object.assign(rooms, deps.rooms);
  vi.advanceTimersByTime(60_001);
  await unread.reconcile(wanting, absent);
  await unmade.reconcile(row(), absent);
  await alone.reconcile(row({ startedAt }), running);
  const late = 'The agent was not in its room within 60 s.';
  expect(details).toEqual([late, problem.detail, late]);
});

test('a delayed start stays the reason of a timeout, whatever happens in the room meanwhile', async () => {
  const { deps, details } = fakeSupervision({ maxDurationMs: 3_600_000 });
  const delayed = new LaunchDelayed(problem);
  const launcher = { ...deps.launcher, start: async () => Promise.reject(delayed) };
  const rooms = { ...fakeSupervision().deps.rooms, listParticipants: fail };
  await using agent = new SupervisedAgent({ ...deps, launcher, rooms });
  await expect(agent.reconcile(row(), absent)).rejects.toThrow(delayed);
  await agent.reconcile(row({ startedAt }), running);
  vi.advanceTimersByTime(60_001);
  await agent.reconcile(row({ startedAt }), running);
  expect(details).toEqual([problem.detail]);
});

test('an agent that has to stop before its start is never started', async () => {
  const { deps, calls } = fakeSupervision();
  await using agent = new SupervisedAgent(deps);
  await agent.reconcile(row({ desired: 'stopped', reason: 'requested' }), absent);
  expect(calls).toEqual(['Stopped requested']);
});

test('the agents of a closed session are stopped, although nobody asked them to stop', async () => {
  const { deps, calls, output } = fakeSupervision();
  output.resolve([]);
  await using agent = new SupervisedAgent(deps);
  await agent.reconcile(row({ sessionStatus: 'CLOSED' }), running);
  await agent.reconcile(row({ sessionStatus: 'CLOSED' }), absent);
  expect(calls).toEqual(['stop', 'Stopped session_closed']);
});

test('the output of an agent whose template cannot be opened is masked completely after a takeover', async () => {
  const { deps, calls, output } = fakeSupervision();
  output.resolve([{ at: 1, line: 'my key is hunter2' }]);
  await using agent = new SupervisedAgent(deps);
  await agent.reconcile(row({ envTemplateId: 'lost' }), ended);
  expect(calls).toEqual(['••••', 'Stopped completed']);
});

async function fail(): Promise<never> {
  throw new Error('no media server');
}
