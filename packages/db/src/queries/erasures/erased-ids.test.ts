import { v4 as uuidv4 } from 'uuid';
import { expect } from 'vitest';
import { eraseOnRequest } from '../../../testing/erasures.ts';
import { type TestProject, typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import type { NewMessageRow } from '../../schema/messages.ts';
import { appendMessages } from '../messages/append-messages.ts';

async function rowsOf({ sql }: TestProject, sessionId: string) {
  return await sql<{ id: string }[]>`
    select * from messages where session_id = ${sessionId} order by "timestamp"`;
}

test('a message under an erased id is not stored again: the same, another text, a completion, another sender’s', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const pending = typedText(sessionId, { status: 'pending', content: 'so' });
  const said = typedText(sessionId);
  await appendMessages(project, [said, pending]);
  await eraseOnRequest(project, sessionId, [said.id, pending.id]);
  const before = await rowsOf(project, sessionId);
  const again: NewMessageRow[] = [
    said,
    { ...said, content: 'another text' },
    { ...said, metadata: { kind: 'text', participant: { identity: 'user-2' } } },
    { ...said, metadata: { kind: 'text', participant: null } },
    { ...pending, content: 'so far' },
    { ...pending, status: 'complete', content: 'so far, so good' },
  ];
  for (const message of again) {
    expect(await appendMessages(project, [message])).toMatchObject({ stored: 0, conflicts: 0 });
  }
  expect(await appendMessages(project, again)).toMatchObject({ stored: 0, conflicts: 0 });
  expect(await rowsOf(project, sessionId)).toEqual(before);
});

test('a message with an id of its own, because another sender had its id, is not stored again either', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const user = `user-${uuidv4()}`;
  const mine = typedText(sessionId, { participant: 'user-1' });
  const conflicting = { ...typedText(sessionId, { participant: user }), id: mine.id };
  await appendMessages(project, [mine]);
  // Sent by the API first, then by the room, so the same message has two names.
  expect(await appendMessages(project, [conflicting])).toMatchObject({ conflicts: 1 });
  const ids = (await rowsOf(project, sessionId)).map(({ id }) => id);
  const other = ids.filter((id) => id !== mine.id);
  await eraseOnRequest(project, sessionId, other);
  const before = await rowsOf(project, sessionId);
  const inRoom = { kind: 'text', participant: { identity: `${user}-123456` } };
  for (const message of [conflicting, { ...conflicting, metadata: inRoom }]) {
    expect(await appendMessages(project, [message])).toMatchObject({ stored: 0, conflicts: 0 });
  }
  expect(await rowsOf(project, sessionId)).toEqual(before);
});
