import { expect, test } from 'vitest';
import { START, spoken, startTestHistory } from '../../../testing/history.ts';

test('an answer has at most 4 MiB, however much longer JSON makes its texts; by cursor and by `since` each message comes once', async () => {
  await using history = await startTestHistory();
  const { api, ana, append, read } = history;
  const sessionId = await api.createSession(ana);
  // JSON writes this character with six.
  const content = '\u0001'.repeat(60_000);
  const sent = Array.from({ length: 30 }, () => spoken(sessionId, { content }));
  await append(sent);
  const ids = sent.map(({ id }) => id);
  const pages = [await read(sessionId, 'messages', { limit: 100 })];
  for (let cursor = pages[0]?.nextCursor; cursor; cursor = pages.at(-1)?.nextCursor) {
    pages.push(await read(sessionId, 'messages', { limit: 100, cursor }));
  }
  expect(pages.map(({ items }) => items.length)).toEqual([11, 11, 8]);
  expect(pages.flatMap(({ items }) => items.map(({ id }) => id)).toReversed()).toEqual(ids);
  const answers = [await read(sessionId, 'messages/latest', { since: START, limit: 500 })];
  while (answers.at(-1)?.hasMore) {
    const since = answers.at(-1)?.nextSince ?? '';
    answers.push(await read(sessionId, 'messages/latest', { since, limit: 500 }));
  }
  expect(answers.map(({ items }) => items.length)).toEqual([11, 11, 8]);
  expect(answers.flatMap(({ items }) => items.map(({ id }) => id))).toEqual(ids);
});
