import { expect } from 'vitest';
import { type TestProject, typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { appendMessages } from './append-messages.ts';
import { latestMessages } from './latest-messages.ts';
import { readMessagesForExport } from './messages.ts';
import { PAGE_BYTES } from './page-bytes.ts';
import { pageMessages } from './read-messages.ts';

const BEGINNING = '2000-01-01T00:00:00.000Z';

/** Returns a session with messages of these contents and metadata, and how its owner reads it. */
async function openHistory(
  project: TestProject,
  parts: readonly Parameters<typeof typedText>[1][],
) {
  const sessionId = await project.newSession();
  for (const part of parts) await appendMessages(project, [typedText(sessionId, part)]);
  const reader = { sessionId, userId: project.userId };
  return { project, reader };
}

/** Returns how many messages each page holds, back to the oldest message. */
async function pageBack({ project, reader }: Awaited<ReturnType<typeof openHistory>>) {
  const counts: number[] = [];
  let cursor: string | undefined;
  for (;;) {
    const page = await pageMessages(project, { ...reader, cursor, limit: 500 });
    counts.push(page?.messages.length ?? 0);
    cursor = page?.messages.at(-1)?.id;
    if (!page?.isFull) return counts;
  }
}

/** Returns how many messages each answer to `since` holds, up to the newest message. */
async function readOn({ project, reader }: Awaited<ReturnType<typeof openHistory>>) {
  const counts: number[] = [];
  let since = BEGINNING;
  for (;;) {
    const latest = await latestMessages(project, { ...reader, since, limit: 500 });
    counts.push(latest?.messages.length ?? 0);
    since = latest?.nextSince ?? '';
    if (!latest?.hasMore) return counts;
  }
}

/** Returns how many messages each batch of an export holds. */
async function exportAll({ project, reader }: Awaited<ReturnType<typeof openHistory>>) {
  const counts: number[] = [];
  let after = BEGINNING;
  for (;;) {
    const batch = await readMessagesForExport(project, { ...reader, after, limit: 500 });
    counts.push(batch?.messages.length ?? 0);
    after = batch?.messages.at(-1)?.timestamp ?? '';
    if (!batch?.isFull) return counts;
  }
}

test('pages end at 4 MiB of content, and every message comes once: by cursor, by `since` and in an export', async ({
  project,
}) => {
  const content = 'x'.repeat(PAGE_BYTES / 64);
  const history = await openHistory(
    project,
    Array.from({ length: 150 }, () => ({ content, metadata: null })),
  );
  expect(await pageBack(history)).toEqual([64, 64, 22]);
  expect(await readOn(history)).toEqual([64, 64, 22]);
  expect(await exportAll(history)).toEqual([...Array.from({ length: 9 }, () => 16), 6]);
});

test('metadata count as the text that readers get, however small they are as stored', async ({
  project,
}) => {
  const compressed = { payload: 'x'.repeat(60_000) };
  // PostgreSQL stores such a number in a few bytes, and writes it with 309 digits.
  const numbers = { payload: Array.from({ length: 2000 }, (_, index) => Number(`${index}e300`)) };
  const few = { payload: Array.from({ length: 100 }, (_, index) => Number(`${index}e300`)) };
  for (const [metadata, length, count] of [
    [compressed, 80, 70],
    [numbers, 12, 7],
    [few, 170, 140],
  ] as const) {
    const parts = Array.from({ length }, () => ({ metadata }));
    const history = await openHistory(project, parts);
    const [first = 0] = await pageBack(history);
    expect(first).toBeGreaterThan(count - 2);
    expect(first).toBeLessThan(count + 2);
  }
});

test('a message that is larger than a page is a page of its own, and more may follow', async ({
  project,
}) => {
  const content = 'x'.repeat(PAGE_BYTES + 1);
  const history = await openHistory(project, [{}, { content }, { content }, {}]);
  expect(await pageBack(history)).toEqual([2, 1, 1]);
  expect(await readOn(history)).toEqual([2, 1, 1]);
});

test('500 short messages are one page', async ({ project }) => {
  const sessionId = await project.newSession();
  await appendMessages(
    project,
    Array.from({ length: 500 }, () => typedText(sessionId)),
  );
  const reader = { sessionId, userId: project.userId };
  expect(await pageBack({ project, reader })).toEqual([500]);
});
