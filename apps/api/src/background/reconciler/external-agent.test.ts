import type { AgentConnection, StartedAgent } from '@session/contract';
import { agentIdentity } from '@session/contract/room';
import { joinRoom } from '@session/media';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openTestAgents, type TestAgents } from '../../../testing/agents.ts';

const WAIT = { externalPollMs: 20, externalGraceMs: 0, externalWaitMs: 600_000 };

/** Starts an external agent in a new session. */
async function startExternal({
  api,
  ana,
}: TestAgents): Promise<StartedAgent & { readonly connect: AgentConnection }> {
  const sessionId = await api.createSession(ana);
  onTestFinished(() => api.deps.rooms.deleteRoom(sessionId));
  const url = `/sessions/${sessionId}/agents`;
  const started = await api.inject(ana, { method: 'POST', url, payload: { role: 'external' } });
  return started.json();
}

async function join({ MEDIA_URL: url, MEDIA_TOKEN: token }: AgentConnection) {
  return await joinRoom({ url, token });
}

test('an external agent is Running in the room, Starting once it has left, Running again with its next token, and never restarted', async () => {
  await using agents = await openTestAgents({ limits: WAIT });
  const { api, ana } = agents;
  await agents.open();
  const { id, connect } = await startExternal(agents);
  const room = await join(connect);
  expect(room.identity).toBe(agentIdentity({ role: 'external', agentId: id }));
  const running = await agents.until(id, 'Running');
  expect(running).toMatchObject({ reason: null, startedAt: null, restarts: 0 });
  await room.leave();
  expect(await agents.until(id, 'Starting')).toMatchObject({ reason: null, restarts: 0 });
  const next = await api.inject(ana, { method: 'POST', url: `/agents/${id}/token` });
  await using again = await join(next.json());
  expect(await agents.until(id, 'Running')).toMatchObject({ restarts: 0 });
  const steps = ['requested', 'joined', 'left', 'joined'];
  expect(await agents.steps(id)).toEqual(steps);
  // Housekeeping, which looks every 3 s who is still there, finds no room.
  vi.spyOn(api.deps.rooms, 'listRooms').mockResolvedValue([]);
  await agents.stop(id);
  expect(await agents.until(id, 'Stopped')).toMatchObject({ reason: 'requested', exitCode: null });
  expect(await agents.steps(id)).toEqual([...steps, 'stopped']);
  // It was sent out.
  await again.closed;
});

test('a text that was said between its start and its join reaches it as a missed one', async () => {
  await using agents = await openTestAgents({ limits: WAIT });
  const { api, ana } = agents;
  const { id, sessionId, connect } = await startExternal(agents);
  const say = { method: 'POST', url: `/sessions/${sessionId}/messages` } as const;
  await api.inject(ana, { ...say, payload: { content: 'Is anybody here?' } });
  await agents.open();
  const packets: unknown[] = [];
  const { MEDIA_URL: url, MEDIA_TOKEN: token } = connect;
  await using room = await joinRoom({
    url,
    token,
    onEvent: (event) => {
      if (event.type === 'packet')
        packets.push(JSON.parse(new TextDecoder().decode(event.payload)));
    },
  });
  await agents.until(id, 'Running');
  await expect.poll(() => packets[0]).toMatchObject({ data: 'Is anybody here?', missed: true });
  await room.leave();
});

test('an external agent that did not join in time is `never_joined`, and one that stayed away `left`', async () => {
  await using agents = await openTestAgents({ limits: WAIT });
  await agents.open();
  const { sql } = agents.api.deps.database;
  const [absent, left] = [await startExternal(agents), await startExternal(agents)];
  const room = await join(left.connect);
  await agents.until(left.id, 'Running');
  await sql`update agents set created_at = now() - interval '570 s'`;
  await room.leave();
  await agents.until(left.id, 'Starting');
  expect(await agents.find(absent.id)).toMatchObject({ status: 'Starting', reason: null });
  await sql`update agents set created_at = now() - interval '601 s'`;
  expect(await agents.until(absent.id, 'Stopped')).toMatchObject({
    reason: 'never_joined',
    detail: 'The agent did not join its room within 600 s.',
    runningAt: null,
  });
  expect(await agents.find(left.id)).toMatchObject({ status: 'Starting', reason: null });
  await sql`
    update agents set ends = jsonb_build_array(
      ends->0 || jsonb_build_object('endedAt', (ends->0->>'endedAt')::bigint - 600000)
    ) where id = ${left.id}`;
  expect(await agents.until(left.id, 'Stopped')).toMatchObject({
    reason: 'left',
    detail: 'The agent left its room, and did not come back within 600 s.',
  });
});

test('an agent that is away for less than the grace stays Running, even though another process leads meanwhile', async () => {
  await using agents = await openTestAgents({ limits: { ...WAIT, externalGraceMs: 60_000 } });
  const { id, connect } = await startExternal(agents);
  const first = await agents.open();
  const room = await join(connect);
  await agents.until(id, 'Running');
  await room.leave();
  await first[Symbol.asyncDispose]();
  await agents.open();
  const other = await startExternal(agents);
  await using present = await join(other.connect);
  // The second process looks at both.
  await agents.until(other.id, 'Running');
  expect(await agents.find(id)).toMatchObject({ status: 'Running' });
  await present.leave();
});

test('the token of a stopped agent opens its room for a moment at most', async () => {
  await using agents = await openTestAgents({ limits: WAIT });
  await agents.open();
  const { id, sessionId, connect } = await startExternal(agents);
  await agents.stop(id);
  await agents.until(id, 'Stopped');
  await using late = await join(connect);
  await late.closed;
  await expect.poll(() => agents.api.deps.rooms.listParticipants(sessionId)).toEqual([]);
});
