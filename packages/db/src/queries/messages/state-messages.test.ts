import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { type TestProject, typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { appendMessages } from './append-messages.ts';
import { findMessage } from './messages.ts';
import { PAGE_BYTES } from './page-bytes.ts';
import { readStateMessages } from './state-messages.ts';

const END = '2999-01-01T00:00:00.000Z';

type Part = Parameters<typeof typedText>[1];

/** Returns the fields of an event that an agent or another participant sent. */
function event(kind: string, payload: object, identity = 'agent-1', more: object = {}): Part {
  return { kind, content: kind, metadata: { kind, participant: { identity }, payload, ...more } };
}

/** Returns a function that stores messages in the order given, and returns their times. */
function writerOf(project: TestProject, sessionId: string) {
  return async (...parts: Part[]): Promise<string[]> => {
    const times: string[] = [];
    for (const part of parts) {
      const message = typedText(sessionId, part);
      await appendMessages(project, [message]);
      times.push((await findMessage(project, { sessionId, id: message.id }))?.timestamp ?? '');
    }
    return times;
  };
}

test('the events of plans come all, the notifications of each agent once, and those of others never', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const times = await writerOf(project, sessionId)(
    event('complete_todo_list', { revision: 1 }),
    event('state_change_notification', { state: 'ready' }),
    event('complete_todo_list', { revision: 2 }),
    event('state_change_notification', { state: 'ready' }, 'helper', {
      participant: { identity: 'helper', kind: 'agent' },
    }),
    event('state_change_notification', { state: 'stopping' }),
    event('state_change_notification', { state: 'interrupted' }),
    event('complete_todo_list', { revision: 3 }, 'user-1'),
    event('plan_deliverable_update', { revision: 3 }),
    {},
  );
  const reader = { sessionId, userId: project.userId };
  const timesUntil = async (asOf: string) => {
    const found = await readStateMessages(project, { ...reader, asOf });
    return [found?.newestAt, found?.messages.map(({ timestamp }) => times.indexOf(timestamp))];
  };
  expect(await timesUntil(END)).toEqual([times[8], [7, 4, 3, 2, 0]]);
  expect(await timesUntil(times[3] ?? '')).toEqual([times[3], [3, 2, 1, 0]]);
  expect(await timesUntil('2000-01-01T00:00:00.000Z')).toEqual([null, []]);
});

test('10,000 notifications after a plan, and as many of its events from a person, do not push it out', async ({
  project,
}) => {
  const sessionId = await project.newOldSession();
  const write = writerOf(project, sessionId);
  const [planned] = await write({ ...event('complete_todo_list', {}), receivedAt: 0 });
  for (const [kind, identity, from] of [
    ['state_change_notification', 'agent-1', '2010-01-01T00:00:00.000Z'],
    ['complete_todo_list', 'user-1', '2011-01-01T00:00:00.000Z'],
  ] as const) {
    const { metadata } = event(kind, { state: 'ready' }, identity) ?? {};
    await project.fill`
      insert into messages (session_id, id, "timestamp", role, kind, content, metadata)
      select ${sessionId}::uuid, gen_random_uuid(), ${from}::timestamptz + n * interval '1 ms', 'system', ${kind}, '',
        ${JSON.stringify(metadata)}::text::jsonb
      from generate_series(1, 10001) n`;
  }
  const found = await readStateMessages(project, {
    sessionId,
    userId: project.userId,
    asOf: END,
  });
  expect(found?.messages).toHaveLength(2);
  expect(found?.messages.at(-1)?.timestamp).toBe(planned);
});

test('only the newest 4 MiB are read', async ({ project }) => {
  const sessionId = await project.newSession();
  const content = 'x'.repeat(PAGE_BYTES / 16);
  const parts = Array.from({ length: 20 }, () => ({ ...event('complete_todo_list', {}), content }));
  const times = await writerOf(project, sessionId)(...parts);
  const found = await readStateMessages(project, { sessionId, userId: project.userId, asOf: END });
  expect(found?.messages.map(({ timestamp }) => timestamp)).toEqual(times.slice(4).toReversed());
});

test('strangers see no state, and a deleted session has none', async ({ project }) => {
  const sessionId = await project.newSession();
  await writerOf(project, sessionId)(event('complete_todo_list', {}));
  const reader = { sessionId, userId: project.userId, asOf: END };
  expect(
    await readStateMessages(project, { ...reader, userId: await project.newUser() }),
  ).toBeUndefined();
  expect(await readStateMessages(project, { ...reader, sessionId: uuidv7() })).toBeUndefined();
  await project.sql`update sessions set status = 'CLOSED', close_reason = 'user', closed_at = now()`;
  expect(await readStateMessages(project, reader)).toMatchObject({ memberRole: 'OWNER' });
  await project.sql`update sessions set deleted_at = now()`;
  expect(await readStateMessages(project, reader)).toBeUndefined();
});
