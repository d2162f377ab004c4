import { LaunchDelayed, type Workload } from '@session/agents';
import { agentIdentity, type ListedParticipant } from '@session/media';
import { expect, test } from 'vitest';
import { AGENT_ID as id, makeWorld, agentRow as row } from '../../../testing/reconciler-world.ts';
import { SupervisedAgent } from './supervised-agent.ts';

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

test('why it is given up is nothing that the database said, and nothing that is over', async () => {
  const { world, details } = makeWorld();
  const limits = { ...world.limits };
  const told = new Error('Failed query: select');
  const envTemplates = { readEnvTemplate: async () => Promise.reject(told) };
  const delayed = new LaunchDelayed(problem);
  const launcher = { ...world.launcher, start: async () => Promise.reject(delayed) };
  const wanting = row({ envTemplateId: 'template' });
  await using unread = new SupervisedAgent({ ...world, limits, envTemplates });
  await using unmade = new SupervisedAgent({ ...world, limits, launcher });
  const unseen = { listParticipants: fail };
  const rooms = { ...world.rooms };
  await using alone = new SupervisedAgent({ ...world, limits, rooms });
  await expect(unread.reconcile(wanting, absent)).rejects.toThrow(told);
  await expect(unmade.reconcile(row(), absent)).rejects.toThrow(delayed);
  const { listParticipants } = rooms;
  Object.assign(rooms, unseen);
  await alone.reconcile(row({ startedAt }), running);
  Object.assign(rooms, { listParticipants });
  limits.startTimeoutMs = -1;
  await unread.reconcile(wanting, absent);
  await unmade.reconcile(row(), absent);
  await alone.reconcile(row({ startedAt }), running);
  const late = 'It was not in the room within -0.001 s.';
  expect(details).toEqual([late, problem.detail, late]);
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

function participant(
  one: Pick<ListedParticipant, 'identity' | 'isAnnounced' | 'state'>,
): ListedParticipant {
  return { ...one, name: '', sid: 'PA_1', kind: 'agent', isHidden: false, joinedAt: 1 };
}

async function fail(): Promise<never> {
  throw new Error('no media server');
}
