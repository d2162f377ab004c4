import type { LogReader } from '@session/db';
import { expect, test, vi } from 'vitest';
import { LogFollowers, type LogFollowersOptions, type LogUpdate } from './log-followers.ts';

const reader: LogReader = { agentId: 'a1', userId: 'ana' };
const { signal } = new AbortController();

/** Returns followers on a fake of the stored logs: the real database shows neither how often it is read nor chosen failures. */
function openFollowers(options: { quietMs?: number } = {}) {
  const logs = new Map<string, { count: number; isComplete: boolean }>();
  const gone = new Set<string>();
  const agentLogs = {
    lookAtLogs: vi.fn<LogFollowersOptions['agentLogs']['lookAtLogs']>(async (readers) =>
      readers.flatMap((one) => {
        const log = logs.get(one.agentId);
        if (!log || gone.has(one.userId)) return [];
        return { ...one, nextLine: log.count, isComplete: log.isComplete };
      }),
    ),
    listLogFrom: vi.fn<LogFollowersOptions['agentLogs']['listLogFrom']>(async (agentId, first) => {
      const count = Math.min((logs.get(agentId)?.count ?? 0) - first, 10);
      return Array.from({ length: count }, (_, index) => lineOf(first + index));
    }),
  };
  const followers = new LogFollowers({ agentLogs, everyMs: 1, ...options });
  const end = () => followers[Symbol.asyncDispose]();
  return { logs, gone, agentLogs, followers, [Symbol.asyncDispose]: end };
}

function lineOf(number: number) {
  return { number, at: number, line: `line ${number}` };
}

async function takeLines(updates: AsyncIterable<LogUpdate>): Promise<number[]> {
  const numbers: number[] = [];
  for await (const { lines } of updates) numbers.push(...lines.map(({ number }) => number));
  return numbers;
}

const upTo = (count: number, from = 0) =>
  Array.from({ length: count - from }, (_, index) => from + index);

test('each line once and in order: the stored lines, then the new lines up to the last', async () => {
  await using opened = openFollowers();
  const { logs, followers } = opened;
  const log = { count: 25, isComplete: false };
  logs.set('a1', log);
  const taken = takeLines(followers.follow(reader, 3, signal));
  await expect.poll(() => opened.agentLogs.lookAtLogs.mock.calls.length).toBeGreaterThan(3);
  log.count = 30;
  await expect.poll(() => opened.agentLogs.listLogFrom.mock.lastCall).toEqual(['a1', 25]);
  Object.assign(log, { count: 55, isComplete: true });
  expect(await taken).toEqual(upTo(55, 3));
});

test('fifty followers of one agent share one check and one read', async () => {
  await using opened = openFollowers();
  const { logs, agentLogs, followers } = opened;
  const log = { count: 5, isComplete: false };
  logs.set('a1', log);
  const taken = Array.from({ length: 50 }, (_, index) =>
    takeLines(followers.follow({ ...reader, userId: `user ${index}` }, 5, signal)),
  );
  await expect.poll(() => agentLogs.lookAtLogs.mock.lastCall?.[0]).toHaveLength(50);
  expect(agentLogs.listLogFrom).not.toHaveBeenCalled();
  const looksAtOne = () =>
    agentLogs.lookAtLogs.mock.calls.filter(([readers]) => readers.length === 1).length;
  const before = looksAtOne();
  log.count = 8;
  await expect.poll(() => agentLogs.listLogFrom.mock.calls).toEqual([['a1', 5]]);
  await expect.poll(() => agentLogs.lookAtLogs.mock.lastCall?.[0]).toHaveLength(50);
  log.isComplete = true;
  expect(new Set((await Promise.all(taken)).map(String))).toEqual(new Set(['5,6,7']));
  expect(agentLogs.listLogFrom).toHaveBeenCalledOnce();
  expect(looksAtOne()).toBe(before);
});

test('nothing is read for a follower that does not take its lines', async () => {
  await using opened = openFollowers();
  const { logs, agentLogs, followers } = opened;
  logs.set('a1', { count: 100, isComplete: true });
  logs.set('a2', { count: 30, isComplete: true });
  const slow = followers.follow(reader, 0, signal);
  await slow.next();
  expect(await takeLines(followers.follow({ ...reader, agentId: 'a2' }, 0, signal))).toHaveLength(
    30,
  );
  expect(agentLogs.listLogFrom.mock.calls.filter(([agentId]) => agentId === 'a1')).toHaveLength(1);
  await slow.return(undefined);
});

test('a follower that may no longer read the log ends; the others continue', async () => {
  await using opened = openFollowers();
  const { logs, gone, followers } = opened;
  const log = { count: 2, isComplete: false };
  logs.set('a1', log);
  const ana = takeLines(followers.follow(reader, 0, signal));
  const ben = takeLines(followers.follow({ ...reader, userId: 'ben' }, 0, signal));
  await expect.poll(() => opened.agentLogs.lookAtLogs.mock.lastCall?.[0]).toHaveLength(2);
  gone.add('ben');
  expect(await ben).toEqual([0, 1]);
  Object.assign(log, { count: 3, isComplete: true });
  expect(await ana).toEqual([0, 1, 2]);
});

test('a follower is notified of a quiet time, and a number beyond the end holds no line back', async () => {
  await using opened = openFollowers({ quietMs: 5 });
  const { logs, followers } = opened;
  const log = { count: 2, isComplete: false };
  logs.set('a1', log);
  const news = followers.follow(reader, 999, signal);
  expect((await news.next()).value).toMatchObject({ lines: [], isComplete: false });
  log.count = 3;
  const { value } = await news.next();
  expect(value).toMatchObject({ lines: [lineOf(2)] });
  await news.return(undefined);
});

test('disposal and a client’s abort end followers at once; a failure of the database is thrown', async () => {
  const opened = openFollowers();
  const { logs, agentLogs, followers } = opened;
  logs.set('a1', { count: 0, isComplete: false });
  const leaving = new AbortController();
  const left = takeLines(followers.follow(reader, 0, leaving.signal));
  const stays = takeLines(followers.follow({ ...reader, userId: 'ben' }, 0, signal));
  await expect.poll(() => agentLogs.lookAtLogs.mock.lastCall?.[0]).toHaveLength(2);
  leaving.abort();
  expect(await left).toEqual([]);
  const fault = new Error('away');
  agentLogs.lookAtLogs.mockRejectedValueOnce(fault);
  await expect(stays).rejects.toBe(fault);
  const last = takeLines(followers.follow(reader, 0, signal));
  await expect.poll(() => agentLogs.lookAtLogs.mock.lastCall?.[0]).toHaveLength(1);
  await followers[Symbol.asyncDispose]();
  expect(await last).toEqual([]);
  expect(await takeLines(followers.follow(reader, 0, signal))).toEqual([]);
});
