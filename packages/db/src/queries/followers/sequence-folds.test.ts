import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { createTestProject, type TestProject } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { ADA, addSequenceFollower, foldAll, numberedText, Q } from '../../../testing/sequences.ts';
import { eraseMessages } from '../erasures/erased-messages.ts';
import { insertErasure } from '../erasures/erasures.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { markFollowers } from './follower-marks.ts';
import { countMissingMessages } from './missing-numbers.ts';

async function sequencesOf({ sql }: TestProject, sessionId: string) {
  return [
    ...(await sql`
      select sender, q, heard::text, is_trusted as "isTrusted", next_at is not null as "isDue"
      from sender_sequences where session_id = ${sessionId} order by sender, q`),
  ];
}

async function store(project: TestProject, sessionId: string, ...numbers: unknown[]) {
  await appendMessages(
    project,
    numbers.map((n) => numberedText(sessionId, n)),
  );
}

test('the numbers of a sender are noted, whatever their order and however often they come', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  await store(project, sessionId, 2, 1, 2);
  await foldAll(project);
  const whole = { sender: ADA, q: Q, isTrusted: true, isDue: false };
  expect(await sequencesOf(project, sessionId)).toEqual([{ ...whole, heard: '{[1,3)}' }]);
  await store(project, sessionId, 7, 4, 3);
  await foldAll(project);
  const holes = { ...whole, heard: '{[1,5),[7,8)}', isDue: true };
  expect(await sequencesOf(project, sessionId)).toEqual([holes]);
});

test('all stays of a user are one sender, also by REST, and other sequences are others', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  await appendMessages(project, [
    numberedText(sessionId, 1),
    numberedText(sessionId, 2, { identity: `${ADA}-other1` }),
    numberedText(sessionId, 3, { identity: ADA }),
    numberedText(sessionId, 1, { q: 'other' }),
    numberedText(sessionId, 1, { identity: 'agent-1' }),
  ]);
  await foldAll(project);
  expect(await sequencesOf(project, sessionId)).toMatchObject([
    { sender: 'agent-1', q: Q, heard: '{[1,2)}' },
    { sender: ADA, q: Q, heard: '{[1,4)}' },
    { sender: ADA, q: 'other', heard: '{[1,2)}' },
  ]);
});

test('messages without numbers, and with what is none, are passed over', async ({ project }) => {
  const sessionId = await project.newSession();
  await appendMessages(project, [
    numberedText(sessionId, 1, { seq: undefined }),
    numberedText(sessionId, 1, { seq: 'x' }),
    numberedText(sessionId, 1, { participant: null }),
  ]);
  await foldAll(project);
  expect(await sequencesOf(project, sessionId)).toEqual([]);
});

test.each([[10_002], [2 ** 31], [Number.MAX_SAFE_INTEGER], ['x'], [-1]])(
  'a sequence that jumps to %j is not trusted from then on, and nothing is asked for',
  async (n) => {
    await using project = await createTestProject();
    const sessionId = await project.newSession();
    await store(project, sessionId, 1);
    await foldAll(project);
    await store(project, sessionId, n);
    await foldAll(project);
    await store(project, sessionId, 3);
    await foldAll(project);
    expect(await sequencesOf(project, sessionId)).toEqual([
      { sender: ADA, q: Q, heard: '{[1,2)}', isTrusted: false, isDue: false },
    ]);
  },
);

test.each([[20_000], [2 ** 31], ['x'], [4]])(
  'the number %j under no name makes a sequence neither longer nor untrusted',
  async (n) => {
    await using project = await createTestProject();
    const sessionId = await project.newSession();
    await store(project, sessionId, 1, 2);
    await foldAll(project);
    await appendMessages(project, [numberedText(sessionId, n, { participant: null })]);
    await foldAll(project);
    const whole = { sender: ADA, q: Q, isTrusted: true, isDue: false };
    expect(await sequencesOf(project, sessionId)).toEqual([{ ...whole, heard: '{[1,3)}' }]);
    await store(project, sessionId, 5);
    await foldAll(project);
    const hole = { ...whole, heard: '{[1,3),[5,6)}', isDue: true };
    expect(await sequencesOf(project, sessionId)).toEqual([hole]);
  },
);

test('numbers under no name count where they follow those of a sender', async ({ project }) => {
  const sessionId = await project.newSession();
  const nameless = (n: number) => numberedText(sessionId, n, { participant: null });
  await appendMessages(project, [nameless(1), numberedText(sessionId, 2), nameless(3)]);
  await foldAll(project);
  await appendMessages(project, [nameless(4), nameless(5)]);
  await foldAll(project);
  expect(await sequencesOf(project, sessionId)).toEqual([
    { sender: ADA, q: Q, isTrusted: true, isDue: false, heard: '{[1,6)}' },
  ]);
});

test('of a sender with a hundred sequences in a session no others are noted', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  for (const turn of [0, 1]) {
    const texts = Array.from({ length: 100 }, (_, index) =>
      numberedText(sessionId, 2, { q: `q${turn}-${index}` }),
    );
    await appendMessages(project, texts);
    await foldAll(project);
  }
  expect(await sequencesOf(project, sessionId)).toHaveLength(100);
});

test.each([
  ['before', 1],
  ['with', 0],
])(
  'an erased message counts as heard, although only others %s it say whose it is',
  async (_, noted) => {
    await using project = await createTestProject();
    const sessionId = await project.newSession();
    const texts = [1, 2, 3].map((n) => numberedText(sessionId, n));
    await appendMessages(project, texts.slice(0, noted));
    await foldAll(project);
    await appendMessages(project, texts.slice(noted));
    const erasureId = uuidv7();
    const { projectId, userId: requestedBy } = project;
    const scope = { sessionId, messageIds: null, identity: 'user-1', userId: null };
    await insertErasure(project, { id: erasureId, projectId, requestedBy, ...scope });
    await eraseMessages(project, { sessionId, ids: [texts[1]?.id ?? ''], erasureId });
    await foldAll(project);
    expect(await sequencesOf(project, sessionId)).toMatchObject([{ heard: '{[1,4)}' }]);
  },
);

test('an erased message counts as heard, although only those that come after it say whose it is', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const [erased, ...others] = [2, 1, 3].map((n) => numberedText(sessionId, n));
  if (!erased) throw new Error('there are three');
  await appendMessages(project, [erased]);
  const erasureId = uuidv7();
  const { projectId, userId: requestedBy } = project;
  const scope = { sessionId, messageIds: [erased.id], identity: null, userId: null };
  await insertErasure(project, { id: erasureId, projectId, requestedBy, ...scope });
  await eraseMessages(project, { sessionId, ids: [erased.id], erasureId });
  await foldAll(project);
  expect(await countMissingMessages(project, [sessionId])).toEqual([]);
  await appendMessages(project, others);
  await foldAll(project);
  expect(await countMissingMessages(project, [sessionId])).toEqual([]);
  expect(await sequencesOf(project, sessionId)).toMatchObject([
    { sender: '', isDue: false },
    { sender: ADA, heard: '{[1,4)}', isDue: false },
  ]);
});

test('a long history is folded in steps, and a deleted session is forgotten', async ({
  project,
}) => {
  const [long, deleted] = [await project.newSession(), await project.newSession()];
  await store(project, long, ...Array.from({ length: 500 }, (_, index) => index + 1));
  await store(project, deleted, 1);
  await addSequenceFollower(project);
  await markFollowers(project, [long, deleted]);
  await project.sql`delete from session_heads where session_id = ${deleted}`;
  await foldAll(project);
  expect(await sequencesOf(project, long)).toMatchObject([{ heard: '{[1,501)}' }]);
  expect(
    await project.sql`
    select from follower_positions where session_id = ${deleted}`,
  ).toHaveLength(0);
});
