import { expect } from 'vitest';
import type { TestProject } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { ADA, foldAll, numberedText, Q } from '../../../testing/sequences.ts';
import { appendMessages } from '../messages/append-messages.ts';
import {
  countMissingMessages,
  declareMissingNumbers,
  takeMissingNumbers,
} from './missing-numbers.ts';

const WAITS = { againMs: 60_000, lastMs: 60_000 };

async function store(project: TestProject, sessionId: string, ...numbers: number[]) {
  await appendMessages(
    project,
    numbers.map((n) => numberedText(sessionId, n)),
  );
  await foldAll(project);
}

/** Takes the missing numbers as if all of them were due. */
async function takeDue(project: TestProject) {
  await project.sql`update sender_sequences set next_at = 'epoch' where next_at is not null`;
  return await takeMissingNumbers(project, WAITS);
}

test('what is missing is due at once for one process, and for none after the wait', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  await store(project, sessionId, 1, 4, 6);
  const [taken] = await takeMissingNumbers(project, WAITS);
  expect(taken).toMatchObject({
    sessionId,
    sender: ADA,
    q: Q,
    identity: `${ADA}-k3x9qa`,
    isActive: true,
    missing: [
      [2, 3],
      [5, 5],
    ],
    lost: [],
  });
  expect(await takeMissingNumbers(project, WAITS)).toEqual([]);
});

test('what was asked for three times in vain is lost, and what was missing later is asked for anew', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  await store(project, sessionId, 1, 4);
  for (let time = 0; time < 3; time += 1) {
    expect(await takeDue(project)).toMatchObject([{ lost: [] }]);
    if (time === 0) await store(project, sessionId, 3, 6);
  }
  const lost = [[2, 2]] as const;
  const missing = [
    [2, 2],
    [5, 5],
  ];
  expect(await takeDue(project)).toMatchObject([{ missing, lost }]);
  // If this process were killed here, the next process would take the same numbers.
  const [again] = await takeDue(project);
  expect(again).toMatchObject({ lost });
  if (!again) throw new Error('nothing is due');
  await declareMissingNumbers(project, again, 0);
  for (let time = 0; time < 3; time += 1) {
    expect(await takeDue(project)).toMatchObject([{ missing: [[5, 5]], lost: [] }]);
  }
  expect(await takeDue(project)).toMatchObject([{ lost: [[5, 5]] }]);
});

test('what is missing when all that was asked for has come is asked for three times, and then lost', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  await store(project, sessionId, 1, 3);
  for (let time = 0; time < 3; time += 1) await takeDue(project);
  await store(project, sessionId, 2, 5);
  for (let time = 0; time < 3; time += 1) {
    expect(await takeDue(project)).toMatchObject([{ missing: [[4, 4]], lost: [] }]);
  }
  expect(await takeDue(project)).toMatchObject([{ lost: [[4, 4]] }]);
});

test('nothing is due when what was missing has come', async ({ project }) => {
  const sessionId = await project.newSession();
  await store(project, sessionId, 1, 3);
  expect(await takeDue(project)).toHaveLength(1);
  await store(project, sessionId, 2);
  expect(await takeDue(project)).toEqual([]);
  const due = await project.sql`select from sender_sequences where next_at is not null`;
  expect(due).toHaveLength(0);
});

test('a declared number that comes later is missing no more, and is not asked for meanwhile', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const count = async () => await countMissingMessages(project, [sessionId]);
  await store(project, sessionId, 3);
  expect(await count()).toEqual([{ sessionId, identity: ADA, count: 2 }]);
  for (let time = 0; time < 3; time += 1) await takeDue(project);
  const [taken] = await takeDue(project);
  if (!taken) throw new Error('nothing is due');
  await declareMissingNumbers(project, taken, 0);
  expect(await takeDue(project)).toEqual([]);
  expect(await count()).toEqual([{ sessionId, identity: ADA, count: 2 }]);
  await store(project, sessionId, 2);
  expect(await count()).toEqual([{ sessionId, identity: ADA, count: 1 }]);
  expect(await takeDue(project)).toEqual([]);
});

test('the times of what is missing are those of the messages around it', async ({ project }) => {
  const sessionId = await project.newSession();
  await store(project, sessionId, 1, 2);
  await store(project, sessionId, 4);
  const times = await project.sql<{ at: string }[]>`
    select "timestamp"::text as at from messages where session_id = ${sessionId} order by "timestamp"`;
  const iso = times.map(({ at }) => new Date(at).toISOString());
  expect(await takeDue(project)).toMatchObject([{ from: iso[1], to: iso[2] }]);
});
