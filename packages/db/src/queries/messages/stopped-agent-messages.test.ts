import { beforeAll, expect, test } from 'vitest';
import { addAgent } from '../../../testing/agents.ts';
import { createTestProject, type TestProject, typedText } from '../../../testing/project.ts';
import type { SenderStay } from '../../schema/messages.ts';
import { updateAgentState } from '../agents/agent-changes.ts';
import { appendMessages } from './append-messages.ts';
import { findMessage } from './messages.ts';

const MINUTE = 60_000;
const anybody = { identity: null };

let project: AsyncDisposable & TestProject;

beforeAll(async () => {
  project = await createTestProject();
  return () => project[Symbol.asyncDispose]();
});

/** Stores an agent that stopped half an hour ago. Returns its session, its identity and when it stopped. */
async function stoppedAgent() {
  const sessionId = await project.newSession();
  const id = await addAgent(project, { sessionId });
  const end = { reason: 'requested', detail: null, exitCode: 0 };
  await updateAgentState(project, id, { status: 'Stopped', ...end });
  const [row] = await project.sql<{ ms: number }[]>`
    update agents set stopped_at = now() - interval '30 min' where id = ${id}
    returning (extract(epoch from stopped_at) * 1000)::float8 as ms`;
  return { sessionId, identity: `agent-echo-agent-${id.slice(-8)}`, stoppedAt: row?.ms ?? 0 };
}

/** Stores a text of a person that may be of `senders`. Returns its role, or undefined when it is not stored. */
async function roleOf(sessionId: string, receivedAt: number, senders: readonly SenderStay[]) {
  const text = typedText(sessionId, { receivedAt, senders });
  const { stored, intruded } = await appendMessages(project, [text]);
  const found = await findMessage(project, { sessionId, id: text.id });
  expect([stored, intruded]).toEqual(found ? [1, 0] : [0, 1]);
  return found?.role;
}

test.each([
  ['was in the room at its end, a moment later', -MINUTE, 500, 'user'],
  ['was in the room at its end, before that', -MINUTE, -500, 'user'],
  ['was in the room at its end, much later', -MINUTE, MINUTE + 1, undefined],
  ['joined after its end', 1, 2, undefined],
  ['joined after its end, by a slow clock of the recorder', 1, -500, undefined],
])(
  'a text of a Stopped agent that %s, is stored as it was sent or not at all',
  async (_, joinedMs, receivedMs, role) => {
    const { sessionId, identity, stoppedAt } = await stoppedAgent();
    const senders = [{ identity, since: stoppedAt + joinedMs }];
    expect(await roleOf(sessionId, stoppedAt + receivedMs, senders)).toBe(role);
  },
);

test('a text that a Stopped agent or another participant may have sent is of nobody', async () => {
  const { sessionId, identity, stoppedAt } = await stoppedAgent();
  const since = stoppedAt + MINUTE;
  const other = { identity: 'agent-echo-agent-00000000', since };
  expect(await roleOf(sessionId, since + 1, [other])).toBe('user');
  expect(await roleOf(sessionId, since + 1, [other, { identity, since }])).toBe('system');
  const elsewhere = await project.newSession();
  expect(await roleOf(elsewhere, since + 1, [{ identity, since }])).toBe('user');
});

test('a text that anybody may have sent is of nobody once an agent of its session has stopped', async () => {
  const { sessionId, stoppedAt } = await stoppedAgent();
  expect(await roleOf(sessionId, stoppedAt + 1, [{ ...anybody, since: stoppedAt + 1 }])).toBe(
    'system',
  );
  expect(await roleOf(sessionId, stoppedAt - 1, [{ ...anybody, since: stoppedAt - 1 }])).toBe(
    'user',
  );
  const elsewhere = await project.newSession();
  expect(await roleOf(elsewhere, stoppedAt + 1, [{ ...anybody, since: stoppedAt + 1 }])).toBe(
    'user',
  );
});

test('an agent whose tokens have all expired is looked at for messages of that time alone', async () => {
  const { sessionId, identity, stoppedAt } = await stoppedAgent();
  const [then, now] = [stoppedAt + MINUTE, Date.now()];
  expect(await roleOf(sessionId, now, [{ identity, since: now }])).toBe(undefined);
  await project.sql`update agents set barred_until = null where session_id = ${sessionId}`;
  expect(await roleOf(sessionId, now, [{ identity, since: now }])).toBe('user');
  expect(await roleOf(sessionId, then, [{ identity, since: then }])).toBe(undefined);
});

test('the other messages of a batch are stored, and a live agent’s too', async () => {
  const { sessionId, identity, stoppedAt } = await stoppedAgent();
  const live = await addAgent(project, { sessionId });
  const since = stoppedAt + MINUTE;
  const sent = [identity, `agent-echo-agent-${live.slice(-8)}`].map((sender) =>
    typedText(sessionId, { content: sender, senders: [{ identity: sender, since }] }),
  );
  const batch = [typedText(sessionId), ...sent, typedText(sessionId)];
  const counts = await appendMessages(project, batch);
  expect(counts).toMatchObject({ stored: 3, intruded: 1, ignored: [], sessions: 1 });
});
