import { expect, test } from 'vitest';
import { empty, NEWER, news, openReaders, PLACE } from '../../../testing/waiting-readers.ts';
import type { WaitingReadersOptions } from './waiting-readers.ts';

test('all readers of a session that wait from the same time are served by one read; other sessions still wait', async () => {
  await using world = openReaders();
  const { heads, messages, wait, first, second } = world;
  const woken = Array.from({ length: 50 }, (_, index) => wait(first, `user ${index}`));
  const elsewhere = wait(second);
  await expect.poll(() => messages.listHeads.mock.lastCall).toEqual([[first, second]]);
  heads.set(first, NEWER);
  expect(new Set(await Promise.all(woken))).toEqual(new Set([news]));
  expect(messages.latestMessagesOfReaders).toHaveBeenCalledOnce();
  heads.set(second, NEWER);
  expect(await elsewhere).toBe(news);
  expect(messages.latestMessagesOfReaders).toHaveBeenCalledTimes(2);
});

test('readers whose histories begin at different times are served by different reads', async () => {
  await using world = openReaders();
  const { readers, heads, messages, first } = world;
  const query = { sessionId: first, userId: 'ana', since: PLACE, limit: 100 };
  const { signal } = new AbortController();
  const woken = [null, PLACE, PLACE].map((from) =>
    readers.wait({ ...query, from }, empty, 25_000, signal),
  );
  heads.set(first, NEWER);
  await Promise.all(woken);
  const froms = messages.latestMessagesOfReaders.mock.calls.map(([{ from }]) => from);
  expect(froms).toEqual([null, PLACE]);
});

test('an event alone wakes nobody but readers of events; the others wait on for a message', async () => {
  await using world = openReaders();
  const { readers, heads, messages, wait, first } = world;
  const event = { ...empty, lastAt: NEWER };
  messages.latestMessagesOfReaders.mockResolvedValueOnce(new Map([['ana', event]]));
  let isAnswered = false;
  const waiting = wait(first).finally(() => {
    isAnswered = true;
  });
  heads.set(first, NEWER);
  await expect.poll(() => messages.latestMessagesOfReaders.mock.calls.length).toBe(1);
  const looks = messages.listHeads.mock.calls.length;
  await expect.poll(() => messages.listHeads.mock.calls.length).toBeGreaterThan(looks + 2);
  // Only one read followed the event.
  expect(messages.latestMessagesOfReaders).toHaveBeenCalledOnce();
  expect(isAnswered).toBe(false);

  messages.latestMessagesOfReaders.mockResolvedValueOnce(new Map([['ana', event]]));
  const query = { sessionId: first, userId: 'ana', since: PLACE, limit: 50, from: null };
  const { signal } = new AbortController();
  const asked = { ...query, events: true };
  expect(await readers.wait(asked, empty, 25_000, signal)).toBe(event);
  heads.set(first, '2026-11-21T08:00:00.002Z');
  expect(await waiting).toBe(news);
});

test('a reader of what a restore has lost gets its answer at once, although it has no messages', async () => {
  await using world = openReaders();
  const { heads, messages, wait, first } = world;
  const reset = { ...empty, isReset: true };
  messages.latestMessagesOfReaders.mockResolvedValueOnce(new Map([['ana', reset]]));
  const waiting = wait(first);
  heads.set(first, NEWER);
  expect(await waiting).toBe(reset);
});

test('a reader that waits on after an event leaves as any other', async () => {
  await using world = openReaders();
  const { heads, messages, wait, first } = world;
  const event = { ...empty, lastAt: NEWER };
  const leave = new AbortController();
  messages.latestMessagesOfReaders.mockResolvedValueOnce(new Map([['ana', event]]));
  const waiting = wait(first, 'ana', leave.signal);
  heads.set(first, NEWER);
  await expect.poll(() => messages.latestMessagesOfReaders.mock.calls.length).toBe(1);
  leave.abort();
  // With `event` as its `empty`, the next wait does not read for the same event again.
  expect(await waiting).toBe(event);
});

/** So rare that no test waits for it. */
const NEVER_MS = 3_600_000;

test('a notification wakes the readers of its sessions, and looks at no other', async () => {
  await using world = openReaders(undefined, NEVER_MS);
  const { readers, heads, messages, wait, first, second } = world;
  const [woken, elsewhere] = [wait(first), wait(second)];
  await expect.poll(() => messages.listHeads.mock.calls.length).toBe(1);
  heads.set(first, NEWER).set(second, NEWER);
  readers.stored(`third,${first}`);
  expect(await woken).toBe(news);
  expect(messages.listHeads.mock.lastCall).toEqual([[first]]);
  readers.stored('');
  expect(await elsewhere).toBe(news);
});

test('a user is looked up again at once in all sessions; whoever was removed learns it, and others still wait', async () => {
  await using world = openReaders(undefined, NEVER_MS);
  const { readers, messages, wait, first, second } = world;
  const others = [wait(first, 'ana'), wait(second, 'ben')];
  const removed = [wait(first, 'ben'), wait(first, 'ben')];
  // The first look at the members is over.
  await expect.poll(() => messages.listFormerReaders.mock.calls.length).toBe(1);
  messages.listFormerReaders.mockImplementation(async (asked) =>
    asked.flatMap(({ sessionId, userId }, index) =>
      sessionId === first && userId === 'ben' ? [index] : [],
    ),
  );
  await readers.recheckMember('ben');
  expect(await Promise.all(removed)).toEqual([undefined, undefined]);
  const asked = messages.listFormerReaders.mock.lastCall?.[0].map(({ userId }) => userId);
  expect(asked).toEqual(['ben', 'ben', 'ben']);
  expect(readers.length).toBe(2);
  await readers[Symbol.asyncDispose]();
  expect(await Promise.all(others)).toEqual([empty, empty]);
});

test('one statement each ten seconds finds those whose removal was not notified', async () => {
  const clock = { ms: 0 };
  await using world = openReaders(() => clock.ms);
  const { messages, wait, first, second } = world;
  const waiting = [wait(first, 'ana'), wait(first, 'ben'), wait(second, 'ben')];
  await expect.poll(() => messages.listFormerReaders.mock.calls.length).toBe(1);
  messages.listFormerReaders.mockResolvedValue([1]);
  clock.ms = 9999;
  const looks = messages.listHeads.mock.calls.length;
  await expect.poll(() => messages.listHeads.mock.calls.length).toBeGreaterThan(looks + 2);
  expect(messages.listFormerReaders).toHaveBeenCalledOnce();
  clock.ms = 10_000;
  expect(await waiting[1]).toBeUndefined();
  expect(messages.listFormerReaders.mock.lastCall?.[0].length).toBe(3);
  expect(world.readers.length).toBe(2);
});

test('a reader that read before messages were stored, and waits after their notification, is woken at once', async () => {
  await using world = openReaders(undefined, NEVER_MS);
  const { readers, heads, messages, wait, first, second } = world;
  const elsewhere = wait(second);
  await expect.poll(() => messages.listHeads.mock.calls.length).toBe(1);
  heads.set(first, NEWER);
  readers.stored(first);
  expect(await wait(first)).toBe(news);
  readers.stored('');
  heads.set(second, NEWER);
  expect(await wait(second)).toBe(news);
  expect(await elsewhere).toBe(news);
});

test('a notification that comes during a look is not lost', async () => {
  await using world = openReaders(undefined, NEVER_MS);
  const { readers, heads, messages, wait, first } = world;
  const answer =
    Promise.withResolvers<Awaited<ReturnType<WaitingReadersOptions['looks']['listHeads']>>>();
  messages.listHeads.mockReturnValueOnce(answer.promise);
  const waiting = wait(first);
  await expect.poll(() => messages.listHeads.mock.calls.length).toBe(1);
  heads.set(first, NEWER);
  readers.stored(first);
  answer.resolve([{ sessionId: first, lastAt: PLACE }]);
  expect(await waiting).toBe(news);
});

test('what no notification names is found too, however many notifications come for other sessions', async () => {
  await using world = openReaders();
  const { readers, heads, wait, first, second } = world;
  const waiting = [wait(first), wait(second)];
  const busy = setInterval(() => readers.stored(second), 0);
  heads.set(first, NEWER);
  expect(await waiting[0]).toBe(news);
  clearInterval(busy);
});

test('readers that wait from different times are served by a read each', async () => {
  await using world = openReaders();
  const { heads, messages, wait, first } = world;
  const both = [wait(first), wait(first, 'ben', undefined, '2026-11-21T07:00:00.000Z')];
  heads.set(first, NEWER);
  expect(await Promise.all(both)).toEqual([news, news]);
  const places = messages.latestMessagesOfReaders.mock.calls.map(([{ since }]) => since);
  expect(places).toEqual([PLACE, '2026-11-21T07:00:00.000Z']);
});

test('a reader gets its empty answer when its time is over', async () => {
  const clock = { ms: 0 };
  await using world = openReaders(() => clock.ms);
  const { messages, wait, first } = world;
  const waiting = wait(first);
  clock.ms = 24_999;
  await expect.poll(() => messages.listHeads.mock.calls.length).toBeGreaterThan(2);
  expect(world.readers.sessionCount).toBe(1);
  clock.ms = 25_000;
  expect(await waiting).toBe(empty);
});

test('a reader that disconnects leaves nothing behind, and without readers the database is not asked', async () => {
  await using world = openReaders();
  const { messages, wait, first } = world;
  const leaving = new AbortController();
  const waiting = wait(first, 'ana', leaving.signal);
  await expect.poll(() => messages.listHeads.mock.calls.length).toBeGreaterThan(0);
  leaving.abort();
  expect([await waiting, world.readers.sessionCount]).toEqual([empty, 0]);
  const { length } = messages.listHeads.mock.calls;
  expect(await wait(first, 'ana', leaving.signal)).toBe(empty);
  expect(messages.listHeads.mock.calls.length - length).toBeLessThanOrEqual(1);
});

test('a session without a head is answered as deleted, and a reader without a membership gets no session', async () => {
  await using world = openReaders();
  const { heads, messages, wait, first } = world;
  messages.latestMessagesOfReaders.mockResolvedValue(new Map([['ana', news]]));
  const waiting = [wait(first), wait(first, 'ben')];
  heads.delete(first);
  expect(await Promise.all(waiting)).toEqual([news, undefined]);
});

test('an absent database fails the readers that wait, and later readers wait again', async () => {
  await using world = openReaders();
  const { heads, messages, wait, first } = world;
  const fault = new Error('away');
  messages.listHeads.mockRejectedValueOnce(fault);
  await expect(wait(first)).rejects.toBe(fault);
  messages.latestMessagesOfReaders.mockRejectedValueOnce(fault);
  heads.set(first, NEWER);
  await expect(wait(first)).rejects.toBe(fault);
  expect(await wait(first)).toBe(news);
});

test('a reader that comes during a read of the heads is not answered as in a deleted session, but fails with the others', async () => {
  await using world = openReaders();
  const { messages, wait, first, second } = world;
  type Heads = Awaited<ReturnType<WaitingReadersOptions['looks']['listHeads']>>;
  const looks = [1, 2].map(() => Promise.withResolvers<Heads>());
  for (const { promise } of looks) messages.listHeads.mockReturnValueOnce(promise);
  const before = wait(first);
  await expect.poll(() => messages.listHeads.mock.calls.length).toBe(1);
  const meanwhile = wait(second);
  looks[0]?.resolve([{ sessionId: first, lastAt: PLACE }]);
  await expect.poll(() => messages.listHeads.mock.lastCall).toEqual([[first, second]]);
  expect(messages.latestMessagesOfReaders).not.toHaveBeenCalled();
  const third = wait('third');
  const fault = new Error('no database');
  looks[1]?.reject(fault);
  const failed = [before, meanwhile, third].map((one) => one.catch((error) => error));
  expect(await Promise.all(failed)).toEqual([fault, fault, fault]);
});

test('disposal answers all readers at once, and later readers too', async () => {
  const { readers, wait, first, second } = openReaders();
  const waiting = [wait(first), wait(second)];
  await readers[Symbol.asyncDispose]();
  expect(await Promise.all([...waiting, wait(first)])).toEqual([empty, empty, empty]);
  expect(readers.sessionCount).toBe(0);
});
