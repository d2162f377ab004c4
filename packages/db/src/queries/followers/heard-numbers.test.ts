import { holdLocks } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { createTestProject } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { ADA, foldAll, numberedText, Q } from '../../../testing/sequences.ts';
import { inTransaction } from '../../statement/transaction.ts';
import { insertErasure } from '../erasures/erasures.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { hearNumbers, hearUnstored } from './heard-numbers.ts';
import { countMissingMessages, takeMissingNumbers } from './missing-numbers.ts';

test('what is sent again and is in the history under another number is heard', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const before = numberedText(sessionId, 1, { q: 'before' });
  await appendMessages(project, [before, numberedText(sessionId, 2)]);
  await foldAll(project);
  const count = async () => (await countMissingMessages(project, [sessionId])).length;
  expect(await count()).toBe(1);
  const again = { ...numberedText(sessionId, 1), id: before.id };
  await appendMessages(project, [again]);
  expect(await count()).toBe(1);
  await appendMessages(project, [{ ...again, metadata: { ...again.metadata, resent: true } }]);
  expect(await count()).toBe(0);
});

test('what its sender’s other message under the same id keeps out is heard', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const first = numberedText(sessionId, 1);
  await appendMessages(project, [first, numberedText(sessionId, 3)]);
  await foldAll(project);
  const other = { ...numberedText(sessionId, 2), id: first.id, content: 'something else' };
  expect((await appendMessages(project, [other])).ignored).toHaveLength(1);
  expect(await countMissingMessages(project, [sessionId])).toEqual([]);
});

test('nobody makes a sequence longer by sending something again', async ({ project }) => {
  const sessionId = await project.newSession();
  const first = numberedText(sessionId, 1);
  await appendMessages(project, [first]);
  await foldAll(project);
  for (const n of [900_000, Number.MAX_SAFE_INTEGER]) {
    await appendMessages(project, [
      { ...numberedText(sessionId, n, { resent: true }), id: first.id },
    ]);
  }
  expect(await countMissingMessages(project, [sessionId])).toEqual([]);
});

test.each([['after'], ['before']])(
  'the number of a message that arrived and is never stored counts as heard: the earlier ones are folded %s it',
  async (order) => {
    await using project = await createTestProject();
    const sessionId = await project.newSession();
    const [first, refused, last] = [1, 2, 3].map((n) => numberedText(sessionId, n));
    if (!first || !refused || !last) throw new Error('there are three');
    await appendMessages(project, [first]);
    if (order === 'before') await foldAll(project);
    await hearUnstored(project, [refused]);
    await appendMessages(project, [last]);
    await foldAll(project);
    expect(await countMissingMessages(project, [sessionId])).toEqual([]);
    expect(await takeMissingNumbers(project, { againMs: 0, lastMs: 0 })).toEqual([]);
  },
);

test('what comes late from somebody who was erased is heard, and a sequence jumps no further by it', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const { projectId, userId: requestedBy } = project;
  const scope = { sessionId, messageIds: null, identity: ADA, userId: null };
  await insertErasure(project, { id: uuidv7(), projectId, requestedBy, ...scope });
  const late = { receivedAt: Date.now() - 5000 };
  await appendMessages(project, [
    { ...numberedText(sessionId, 2), ...late },
    { ...numberedText(sessionId, 900_000), ...late },
  ]);
  const now = { receivedAt: Date.now() + 60_000 };
  await appendMessages(
    project,
    [1, 3].map((n) => ({ ...numberedText(sessionId, n), ...now })),
  );
  await foldAll(project);
  expect(await countMissingMessages(project, [sessionId])).toEqual([]);
});

test.each([['after'], ['before']])(
  'a number that arrived without its sender, and is never stored, is heard: the sender’s others are folded %s it',
  async (order) => {
    await using project = await createTestProject();
    const sessionId = await project.newSession();
    const [first, unknown, last] = [1, 2, 3].map((n) => numberedText(sessionId, n));
    if (!first || !unknown || !last) throw new Error('there are three');
    const { projectId, userId: requestedBy } = project;
    const scope = { sessionId, messageIds: null, identity: ADA, userId: null };
    await appendMessages(project, [first]);
    if (order === 'before') await foldAll(project);
    const erasure = { id: uuidv7(), projectId, requestedBy, ...scope };
    await insertErasure(project, erasure);
    await project.sql`update erasures set requested_at = now() - interval '1 min'`;
    const late = { receivedAt: Date.now() - 3_600_000 };
    const metadata = { ...unknown.metadata, participant: null, candidates: [ADA, 'user-2'] };
    await appendMessages(project, [{ ...unknown, ...late, metadata }]);
    await appendMessages(project, [last]);
    await foldAll(project);
    expect(await project.sql`select from messages`).toHaveLength(2);
    expect(await countMissingMessages(project, [sessionId])).toEqual([]);
  },
);

test('several sequences are locked in the order in which folds lock them', async ({ project }) => {
  const { sql, url } = project;
  const sessionId = await project.newSession();
  for (const sender of ['ben', 'ada']) {
    await sql`
      insert into sender_sequences (session_id, sender, q, heard) values (${sessionId}, ${sender}, ${Q}, '{[1,2),[3,4)}')`;
  }
  await using lock = await holdLocks(
    url,
    (holder) => holder`update sender_sequences set asks = 1 where sender = 'ada'`,
  );
  const heard = ['ben', 'ada'].map((identity) => numberedText(sessionId, 2, { identity }));
  const hearing = inTransaction(project, async (transaction) => {
    // The plan then has the order of the table.
    for (const kind of ['indexscan', 'bitmapscan', 'nestloop', 'mergejoin']) {
      await transaction.sql.unsafe(`set local enable_${kind} = off`);
    }
    await hearNumbers(transaction, heard);
  });
  const waiting = () => sql`
    select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  await expect.poll(waiting).toHaveLength(1);
  const free = await sql`select from sender_sequences where sender = 'ben' for update nowait`;
  expect(free).toHaveLength(1);
  await lock[Symbol.asyncDispose]();
  await hearing;
  const left = await sql`select from sender_sequences where heard <> '{[1,4)}'`;
  expect(left).toHaveLength(0);
});
