import type { MessageWithoutRawId } from '@session/db';
import { expect, test } from 'vitest';
import {
  messageWithoutRawId as said,
  rowWithoutRawId as stored,
  T0,
} from '../../testing/kept-messages.ts';
import { KeptRoom } from './kept-messages.ts';
import { type LeadershipState, mayBecome } from './leadership-state.ts';
import { type LeaderProgress, SessionLeadership } from './session-leadership.ts';

function leader(flushedMs: number, standbyMs: number | null = null): LeaderProgress {
  return { flushedAt: T0 + flushedMs, standbyAt: standbyMs === null ? null : T0 + standbyMs };
}

const LONG_AGO = T0 - 60_000;

/** Returns the leadership of a recorder that is connected at `T0`, with the rows that it finds in the history. */
function openLeadership(
  listStored: (after: string) => Promise<readonly MessageWithoutRawId[]> = async () => [],
) {
  const got: string[] = [];
  const dropped: number[][] = [];
  const asked: number[] = [];
  let changes = 0;
  const leadership = new SessionLeadership({
    keptRoom: new KeptRoom(),
    writer: { push: ({ content, intervalId }) => got.push(`${content} in ${intervalId}`) },
    listStored: async (after) => {
      asked.push(Date.parse(after));
      return await listStored(after);
    },
    dropped: (...span) => dropped.push(span),
    changed: () => {
      changes += 1;
    },
  });
  const heldBack = leadership.connected(T0, false, LONG_AGO);
  /** Becomes the leader for interval `a`: the first comparison ends the catch-up, the second leads. */
  const lead = async () => {
    await leadership.follow('a', null);
    await leadership.follow('a', null);
  };
  return { leadership, got, dropped, asked, heldBack, lead, countChanges: () => changes };
}

test('a standby stores nothing; a new leader first stores what the leader before has not, in order', async () => {
  const rows = [stored('one', 3), stored('yes', 101), stored('four', 302, null)];
  const { leadership, got, asked, lead } = openLeadership(async () => rows);
  for (const [index, word] of ['one', 'yes', 'yes', 'four', 'five'].entries()) {
    leadership.push(said(word, 100 * index));
  }
  expect(got).toEqual([]);
  await lead();
  leadership.push(said('six', 600));
  expect(got).toEqual(['yes in a', 'five in a', 'six in a']);
  expect(asked).toHaveLength(1);
  expect(asked[0]).toBeLessThanOrEqual(T0 - 5000);
  expect(leadership.oldestKeptAt).toBe(Infinity);
});

test('rows of an earlier time or of another participant stand for no message', async () => {
  const { leadership, got, lead } = openLeadership(async () => [
    stored('yes', 900),
    stored('no', 6000),
  ]);
  leadership.push(said('yes', 6000));
  leadership.push(said('no', 6000, 'bob'));
  await lead();
  expect(got).toEqual(['yes in a', 'no in a']);
});

test('a recorder that received its first messages late stores none of them again', async () => {
  const rows = Array.from({ length: 38 }, (_, index) => stored(`word ${index}`, 200 * index));
  const { leadership, got, asked, lead } = openLeadership(async () => rows);
  // The words were said every 200 ms from 0 on, and were received all at once when the recorder had joined.
  for (let index = 0; index < 40; index += 1) leadership.push(said(`word ${index}`, 7000 + index));
  await lead();
  expect(got).toEqual(['word 38 in a', 'word 39 in a']);
  expect(asked[0]).toBeLessThan(T0);
});

test('a participant who repeats the same words is stored as often, from where the leader before ended', async () => {
  const seconds = Array.from({ length: 20 }, (_, second) => second);
  // The first 8 have rows too, but their messages are no longer kept.
  const rows = seconds.slice(4, 16).map((second) => stored('ping', 1000 * second + 200));
  const { leadership, got, lead } = openLeadership(async () => rows);
  for (const second of seconds.slice(8)) leadership.push(said('ping', 1000 * second));
  await lead();
  expect(got).toHaveLength(4);
});

test('a standby keeps what the leader may not have stored, by two clocks, and if it learns late that it was deaf', async () => {
  const { leadership } = openLeadership();
  for (const ms of [0, 4999, 5000, 24_999]) leadership.push(said(`at ${ms}`, ms));
  await leadership.follow('a', leader(25_000));
  expect(leadership.oldestKeptAt).toBe(T0 + 5000);
  expect(leadership.end()).toBe(T0 + 5000);
  expect(leadership.oldestKeptAt).toBe(Infinity);
});

test('an interval that ends during the look-up of stored messages makes no leader', async () => {
  const answer = Promise.withResolvers<MessageWithoutRawId[]>();
  const { leadership, got } = openLeadership(() => answer.promise);
  leadership.push(said('one', 0));
  await leadership.follow('a', null);
  const leading = leadership.follow('a', null);
  leadership.standBy();
  answer.resolve([]);
  await leading;
  expect([leadership.state, got, leadership.oldestKeptAt]).toEqual(['standby', [], T0]);
});

test('of more messages than can be kept the oldest are dropped, and their time is reported', () => {
  const { leadership, dropped } = openLeadership();
  for (let ms = 0; ms < 10_000; ms += 1) leadership.push(said('x', ms));
  expect(dropped).toEqual([]);
  leadership.push(said('x', 10_000));
  expect(dropped).toEqual([[T0, T0 + 1000]]);
  expect(leadership.oldestKeptAt).toBe(T0 + 1000);
});

test('large messages are dropped, and their time is reported, long before there are as many', () => {
  const { leadership, dropped } = openLeadership();
  const words = 'x'.repeat(15_000);
  for (let ms = 0; ms < 2000; ms += 1) leadership.push(said(words, ms));
  expect(dropped).toEqual([]);
  for (let ms = 2000; ms < 3000; ms += 1) leadership.push(said(words, ms));
  expect(dropped[0]?.[0]).toBe(T0);
  expect(leadership.oldestKeptAt).toBe(dropped.at(-1)?.[1]);
});

test('a recorder goes between standby and leading, and from both to the end, from which nothing follows', () => {
  const states: LeadershipState[] = ['standby', 'leading', 'ended'];
  const arrows = states.flatMap((from) =>
    states.filter((to) => mayBecome(from, to)).map((to) => `${from} → ${to}`),
  );
  expect(arrows).toEqual([
    'standby → leading',
    'standby → ended',
    'leading → standby',
    'leading → ended',
  ]);
});

test('catching up: events are held back until the leader’s flush is later than the connection, by two clocks', async () => {
  const { leadership, heldBack, countChanges } = openLeadership();
  await leadership.follow('a', leader(999));
  expect([heldBack?.aborted, leadership.isCatchingUp, countChanges()]).toEqual([false, true, 0]);
  await leadership.follow('a', leader(1000));
  expect([heldBack?.aborted, leadership.isCatchingUp, countChanges()]).toEqual([true, false, 1]);
});

test('catching up: without another recorder events are passed on before this one leads', async () => {
  const { leadership, heldBack } = openLeadership();
  await leadership.follow('a', null);
  expect([heldBack?.aborted, leadership.state]).toEqual([true, 'standby']);
  await leadership.follow('a', null);
  expect(leadership.state).toBe('leading');
});

test('a seamless reconnect holds nothing back, and a fresh connection holds back again', async () => {
  const { leadership, heldBack, lead } = openLeadership();
  await lead();
  expect(leadership.connected(T0 + 5000, true, LONG_AGO)).toBeUndefined();
  expect(leadership.isCatchingUp).toBe(false);
  const again = leadership.connected(T0 + 6000, false, T0 + 5900);
  expect([heldBack?.aborted, again?.aborted, leadership.isCatchingUp]).toEqual([true, false, true]);
});

test('standby again: a leader whose interval ended keeps messages until it leads for the next interval', async () => {
  const { leadership, got, lead } = openLeadership();
  await lead();
  leadership.push(said('one', 1));
  leadership.standBy();
  leadership.push(said('two', 2));
  expect([leadership.state, got]).toEqual(['standby', ['one in a']]);
  await leadership.follow('b', null);
  expect(got).toEqual(['one in a', 'two in b']);
});

test('standby again: what a recorder stored as the leader stands for no words that it receives later', async () => {
  const { leadership, got, lead } = openLeadership(async () => [
    { ...stored('yes', 0), id: 'first' },
  ]);
  await lead();
  leadership.push({ ...said('yes', 0), id: 'first' });
  leadership.standBy();
  leadership.push({ ...said('yes', 3000), id: 'second' });
  await leadership.follow('b', null);
  expect(got).toEqual(['yes in a', 'yes in b']);
});

test.each([
  ['from before the connection began stands for no message', 10_000, 9000, ['yes in a']],
  ['that may be from then, by two clocks, stands for one', 10_000, 9001, []],
  ['from before it stands for a message of the connection before', 9999, 9000, []],
])('a row %s', async (_, saidMs, storedMs, expected) => {
  const row = stored('yes', storedMs);
  const { leadership, got, lead } = openLeadership(async (after) =>
    row.timestamp > after ? [row] : [],
  );
  leadership.push(said('yes', saidMs));
  leadership.connected(T0 + 10_500, false, T0 + 10_000);
  await lead();
  expect(got).toEqual(expected);
});

test('a message that is kept from an earlier connection lets no older row stand for words of the newest one', async () => {
  const { leadership, got, lead } = openLeadership(async () => [stored('yes', 0)]);
  leadership.push(said('hello', 2000));
  leadership.connected(T0 + 3000, false, T0 + 2300);
  leadership.push(said('yes', 3500));
  await lead();
  expect(got).toEqual(['hello in a', 'yes in a']);
});

test('of three connections, each message is judged by its own', async () => {
  const rows = [stored('one', 3000), stored('two', 3000), stored('three', 13_000)];
  const { leadership, got, lead } = openLeadership(async () => rows);
  leadership.connected(T0 + 5500, false, T0 + 5000);
  leadership.connected(T0 + 15_500, false, T0 + 15_000);
  leadership.push(said('one', 4000));
  leadership.push(said('two', 5000));
  leadership.push(said('three', 14_999));
  await lead();
  expect(got).toEqual(['two in a']);
});

test('leading: a comparison for the same interval reads the history no second time', async () => {
  const { leadership, asked, lead } = openLeadership();
  leadership.push(said('one', 0));
  await lead();
  await leadership.follow('a', null);
  expect(asked).toHaveLength(1);
});

test('standby: nothing is forgotten of the time since when a new leader still keeps messages itself', async () => {
  const { leadership } = openLeadership();
  for (const ms of [0, 30_000, 60_000]) leadership.push(said(`at ${ms}`, ms));
  await leadership.follow('a', leader(100_000, 50_000));
  expect(leadership.oldestKeptAt).toBe(T0 + 30_000);
  await leadership.follow('a', leader(100_000));
  expect(leadership.oldestKeptAt).toBe(Infinity);
});

test('a failed look-up leaves a standby, which keeps everything and can lead later', async () => {
  let isAway = true;
  const { leadership, got, lead } = openLeadership(async () => {
    if (isAway) throw new Error('away');
    return [];
  });
  leadership.push(said('one', 0));
  await expect(lead()).rejects.toThrow('away');
  expect([leadership.state, leadership.oldestKeptAt]).toEqual(['standby', T0]);
  isAway = false;
  await leadership.follow('a', null);
  expect(got).toEqual(['one in a']);
});

test('ended: nothing is stored or kept any more, not even after a late answer', async () => {
  const answer = Promise.withResolvers<MessageWithoutRawId[]>();
  const { leadership, got } = openLeadership(() => answer.promise);
  leadership.push(said('one', 0));
  await leadership.follow('a', null);
  const leading = leadership.follow('a', null);
  expect(leadership.end()).toBe(T0);
  answer.resolve([]);
  await leading;
  await leadership.follow('a', null);
  leadership.push(said('two', 1));
  expect([leadership.state, got, leadership.oldestKeptAt]).toEqual(['ended', [], Infinity]);
});
