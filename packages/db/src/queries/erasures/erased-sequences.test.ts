import { missingMessages } from '@session/contract/room';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import type { TestProject } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { ADA, foldAll, numberedText, Q } from '../../../testing/sequences.ts';
import { noteLastNumbers } from '../followers/last-numbers.ts';
import { countMissingMessages } from '../followers/missing-numbers.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { listMessagesOfPerson } from './erased-messages.ts';
import { eraseSequences } from './erased-sequences.ts';
import { insertErasure } from './erasures.ts';

const identity = 'Bea Smith';

async function sequencesOf({ sql }: TestProject) {
  return [
    ...(await sql`select sender, identity, heard::text from sender_sequences order by sender`),
  ];
}

test('of an erased participant nothing is missing, and nobody is named, even when the last number is reported again', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  await appendMessages(project, [
    numberedText(sessionId, 2, { identity }),
    numberedText(sessionId, 2, { q: 'other' }),
  ]);
  await foldAll(project);
  const last = { sessionId, identity, q: Q, n: 5 };
  await noteLastNumbers(project, [last]);
  const missing = async () => await countMissingMessages(project, [sessionId]);
  const others = { sessionId, identity: ADA, count: 1 };
  expect(await missing()).toEqual([{ sessionId, identity, count: 4 }, others]);
  await eraseSequences(project, { sessionId, identity });
  const left = [
    { sender: '', identity: null, heard: '{[1,6)}' },
    { sender: ADA, identity: `${ADA}-k3x9qa`, heard: '{[2,3)}' },
  ];
  expect(await sequencesOf(project)).toEqual(left);
  expect(await missing()).toEqual([others]);
  await noteLastNumbers(project, [last]);
  expect(await missing()).toEqual([others]);
  expect(await sequencesOf(project)).toEqual(left);
});

test('a long sequence of an erased participant is trusted when the participant goes on', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  for (const n of [9000, 12_000]) {
    await appendMessages(project, [numberedText(sessionId, n, { identity })]);
    await foldAll(project);
  }
  await eraseSequences(project, { sessionId, identity });
  await appendMessages(project, [numberedText(sessionId, 12_002, { identity })]);
  await foldAll(project);
  expect(await countMissingMessages(project, [sessionId])).toEqual([
    { sessionId, identity, count: 1 },
  ]);
});

test('the number of a late message of an erased participant is noted without its sender', async ({
  project,
}) => {
  const { projectId, userId: requestedBy, sql } = project;
  const sessionId = await project.newSession();
  const scope = { sessionId, messageIds: null, identity, userId: null };
  await insertErasure(project, { ...scope, id: uuidv7(), projectId, requestedBy });
  const late = { ...numberedText(sessionId, 3, { identity }), receivedAt: Date.now() - 60_000 };
  expect(await appendMessages(project, [late])).toMatchObject({ stored: 0 });
  expect(await sequencesOf(project)).toEqual([{ sender: '', identity: null, heard: '{[3,4)}' }]);
  expect(await sql`select from messages where kind = 'text'`).toHaveLength(0);
});

test('gaps that name the participant are found, also those that were reported later', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const at = new Date().toISOString();
  const gapOf = (sender: string) => {
    const lost = { sessionId, q: Q, missing: [[1, 2]] as const, from: at, to: at };
    return missingMessages({ ...lost, identity: sender }, Date.now());
  };
  const gaps = [gapOf(identity), gapOf(ADA)] as const;
  await appendMessages(project, gaps);
  const page = { sessionId, after: '1970-01-01T00:00:00.000Z', until: '2001-01-01T00:00:00.000Z' };
  const find = async (sender: string) =>
    (await listMessagesOfPerson(project, { ...page, identity: sender })).ids;
  expect(await find(identity)).toEqual([gaps[0].id]);
  expect(await find(`${ADA}-k3x9qa`)).toEqual([gaps[1].id]);
});
