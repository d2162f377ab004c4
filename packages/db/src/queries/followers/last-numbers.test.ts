import { expect } from 'vitest';
import type { TestProject } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { ADA, foldAll, numberedText, Q } from '../../../testing/sequences.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { hearNumbers } from './heard-numbers.ts';
import { noteLastNumbers } from './last-numbers.ts';
import { countMissingMessages, takeMissingNumbers } from './missing-numbers.ts';

const identity = `${ADA}-k3x9qa`;

async function store(project: TestProject, sessionId: string, ...numbers: number[]) {
  const messages = numbers.map((n) => numberedText(sessionId, n));
  await appendMessages(project, messages);
  await foldAll(project);
}

async function missingIn(project: TestProject, sessionId: string): Promise<number> {
  const [missing] = await countMissingMessages(project, [sessionId]);
  return missing?.count ?? 0;
}

async function due({ sql }: TestProject) {
  return [...(await sql`select announced from sender_sequences where next_at is not null`)];
}

test('what a sender said last and nobody received is asked for, 3 s after its number was reported', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  await store(project, sessionId, 1, 2);
  await noteLastNumbers(project, [{ sessionId, identity, q: Q, n: 4 }]);
  const waits = { againMs: 60_000, lastMs: 60_000 };
  expect(await takeMissingNumbers(project, waits)).toEqual([]);
  const { sql } = project;
  const [wait] =
    await sql`select next_at - last_at between interval '2.9 s' and interval '3 s' as ok from sender_sequences`;
  expect(wait).toEqual({ ok: true });
  await sql`update sender_sequences set next_at = next_at - interval '3 s'`;
  const [asked] = await takeMissingNumbers(project, waits);
  expect(asked).toMatchObject({ identity, missing: [[3, 4]] });
  // The missing messages were said between the last message and the announcement.
  const [last] = await sql`
    select max("timestamp") as at from messages where session_id = ${sessionId} and kind = 'text'`;
  expect(asked?.from).toBe(new Date(String(last?.['at'])).toISOString());
  expect(Date.parse(asked?.to ?? '')).toBeGreaterThan(Date.parse(asked?.from ?? ''));
  expect(await missingIn(project, sessionId)).toBe(2);
  await store(project, sessionId, 3, 4);
  expect(await missingIn(project, sessionId)).toBe(0);
});

test('of a sender whose last message alone was heard, without its sender, the others are missing', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  await project.sql`
    insert into sender_sequences (session_id, sender, q, heard) values (${sessionId}, '', ${Q}, '{[3,4)}')`;
  await noteLastNumbers(project, [{ sessionId, identity, q: Q, n: 3 }]);
  expect(await missingIn(project, sessionId)).toBe(2);
});

test('a text of which a part is stored is missing from when its sender has said it until the whole is stored, and not before', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const text = numberedText(sessionId, 2);
  await appendMessages(project, [{ ...text, content: 'half', status: 'pending' }]);
  await store(project, sessionId, 1, 3);
  expect(await missingIn(project, sessionId)).toBe(0);
  expect(await due(project)).toEqual([]);
  await noteLastNumbers(project, [{ sessionId, identity, q: Q, n: 1 }]);
  expect(await due(project)).toEqual([]);
  await noteLastNumbers(project, [{ sessionId, identity, q: Q, n: 3 }]);
  expect(await missingIn(project, sessionId)).toBe(1);
  await project.sql`update sender_sequences set next_at = 'epoch'`;
  const waits = { againMs: 60_000, lastMs: 60_000 };
  expect(await takeMissingNumbers(project, waits)).toMatchObject([{ missing: [[2, 2]] }]);
  await appendMessages(project, [{ ...text, content: 'half and half' }]);
  await foldAll(project);
  expect(await missingIn(project, sessionId)).toBe(0);
  await project.sql`update sender_sequences set next_at = 'epoch'`;
  expect(await takeMissingNumbers(project, waits)).toEqual([]);
});

test('a text of which a part is stored after its sender reported it as said is asked for', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  await noteLastNumbers(project, [{ sessionId, identity, q: Q, n: 1 }]);
  await project.sql`update sender_sequences set next_at = null`;
  await appendMessages(project, [{ ...numberedText(sessionId, 1), status: 'pending' }]);
  await foldAll(project);
  expect(await missingIn(project, sessionId)).toBe(1);
  expect(await due(project)).toEqual([{ announced: 1 }]);
});

test('a report of numbers that have arrived does not move the time before which the next loss lies', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const { sql } = project;
  await store(project, sessionId, 1);
  const [stored] = await sql`select last_at from sender_sequences`;
  await sql`select pg_sleep(0.002)`;
  await noteLastNumbers(project, [{ sessionId, identity, q: Q, n: 1 }]);
  await noteLastNumbers(project, [{ sessionId, identity, q: Q, n: 2 }]);
  expect([...(await sql`select missing_from from sender_sequences`)]).toEqual([
    { missing_from: stored?.['last_at'] },
  ]);
});

test('of a sender of whom nothing arrived all is missing', async ({ project }) => {
  const sessionId = await project.newSession();
  const last = { sessionId, identity, q: Q, n: 2 };
  // A second stay of the same program, with a message that it sent meanwhile.
  await noteLastNumbers(project, [last, { ...last, n: 3 }]);
  expect(await countMissingMessages(project, [sessionId])).toEqual([
    { sessionId, identity: ADA, count: 3 },
  ]);
  await hearNumbers(project, [numberedText(sessionId, 3), numberedText(sessionId, 9)]);
  expect(await missingIn(project, sessionId)).toBe(2);
});

test('the number of a message that is in the history, or of an older one, changes nothing', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  await store(project, sessionId, 1, 2, 3);
  for (const n of [3, 2]) await noteLastNumbers(project, [{ sessionId, identity, q: Q, n }]);
  expect(await due(project)).toEqual([]);
  for (const n of [5, 4]) await noteLastNumbers(project, [{ sessionId, identity, q: Q, n }]);
  expect(await due(project)).toEqual([{ announced: 5 }]);
  expect(await missingIn(project, sessionId)).toBe(2);
});

test('a jump that no loss explains is not believed', async ({ project }) => {
  const sessionId = await project.newSession();
  await store(project, sessionId, 1);
  for (const n of [10_002, 900_000_000, Number.MAX_SAFE_INTEGER])
    await noteLastNumbers(project, [{ sessionId, identity, q: Q, n }]);
  expect(await missingIn(project, sessionId)).toBe(0);
  await noteLastNumbers(project, [{ sessionId, identity, q: Q, n: 10_001 }]);
  expect(await missingIn(project, sessionId)).toBe(10_000);
});

test('a sender has a hundred sequences in a session', async ({ project }) => {
  const sessionId = await project.newSession();
  const numbers = Array.from({ length: 102 }, (_, index) => ({
    sessionId,
    identity,
    q: `q${index}`,
    n: 1,
  }));
  await noteLastNumbers(project, numbers.slice(0, 8));
  await noteLastNumbers(project, numbers);
  expect(await due(project)).toHaveLength(100);
  await noteLastNumbers(project, [{ sessionId, identity, q: 'another', n: 1 }]);
  expect(await due(project)).toHaveLength(100);
  await noteLastNumbers(project, [{ sessionId, identity, q: 'q7', n: 2 }]);
  expect(await due(project)).toContainEqual({ announced: 2 });
});

test('a sequence that is not trusted stays so, and a deleted session has none', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  await store(project, sessionId, 20_000);
  await noteLastNumbers(project, [{ sessionId, identity, q: Q, n: 7 }]);
  expect(await due(project)).toEqual([]);
  await project.sql`delete from sessions where id = ${sessionId}`;
  await noteLastNumbers(project, [{ sessionId, identity, q: Q, n: 7 }]);
  expect(await project.sql`select from sender_sequences`).toHaveLength(0);
});
