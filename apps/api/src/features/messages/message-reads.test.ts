import { expect, test } from 'vitest';
import { follow, pageBack, START, spoken, startTestHistory } from '../../../testing/history.ts';

test('120 messages by cursor, 50 at a time, while the history grows: none missed, none twice', async () => {
  await using history = await startTestHistory();
  const sessionId = await history.api.createSession(history.ana);
  const first = Array.from({ length: 120 }, () => spoken(sessionId));
  await history.append(first);
  const grow = () => history.append(Array.from({ length: 7 }, () => spoken(sessionId)));
  const read = await pageBack(history, sessionId, 50, grow);
  expect(read.map(({ id }) => id)).toEqual(first.map(({ id }) => id).toReversed());
});

test('four concurrent writers with different clocks, and several readers that poll by `since`: none missed, none twice, one order', async () => {
  await using history = await startTestHistory();
  const sessionId = await history.api.createSession(history.ana);
  const last = spoken(sessionId);
  const end = { last: last.id, isOver: false };
  const pollers = [
    { limit: 3, wait: 0 },
    { limit: 100, wait: 0 },
    { limit: 100, wait: 25 },
    { limit: 500, wait: 1 },
  ];
  const following = pollers.map((query) => follow(history, sessionId, query, end));
  const writing = [0, 400, 800, 60_000].map(async (behindMs) => {
    const sent: string[] = [];
    for (let round = 0; round < 25; round += 1) {
      const receivedAt = Date.now() - behindMs;
      const batch = Array.from({ length: 3 }, () => spoken(sessionId, { receivedAt }));
      await history.append(batch);
      sent.push(...batch.map(({ id }) => id));
    }
    return sent;
  });
  const sent = await Promise.all(writing);
  await history.append([last]);
  end.isOver = true;
  const all = (await pageBack(history, sessionId, 100)).map(({ id }) => id).toReversed();
  expect(all.toSorted()).toEqual([...sent.flat(), last.id].toSorted());
  for (const seen of await Promise.all(following)) expect(seen.map(({ id }) => id)).toEqual(all);
  for (const own of sent) expect(all.filter((id) => own.includes(id))).toEqual(own);
});

test('a pending message that is completed during both reads appears in both: at its position, and once more at the end', async () => {
  await using history = await startTestHistory();
  const { api, ana, append, read } = history;
  const sessionId = await api.createSession(ana);
  const slow = spoken(sessionId, { status: 'pending', content: 'I th' });
  const whole = { ...slow, status: 'complete', content: 'I think so' } as const;
  const [before, after] = [spoken(sessionId), spoken(sessionId)];
  await append([before, slow, after]);
  const first = await read(sessionId, 'messages/latest', { since: START });
  const paged = await pageBack(history, sessionId, 1, () => append([whole]));
  const next = await read(sessionId, 'messages/latest', { since: first.nextSince });
  const end = await read(sessionId, 'messages/latest', { since: next.nextSince });
  expect(versions(first.items)).toEqual(versions([before, slow, after]));
  expect(versions(paged)).toEqual(versions([after, whole, before]));
  expect(versions(next.items)).toEqual(versions([whole]));
  expect(next.items[0]?.timestamp).toBe(first.items[1]?.timestamp);
  expect(end).toEqual({ items: [], nextSince: next.nextSince, hasMore: false });
});

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

function versions(messages: readonly { readonly id: string; readonly content: string }[]) {
  return messages.map(({ id, content }) => ({ id, content }));
}
