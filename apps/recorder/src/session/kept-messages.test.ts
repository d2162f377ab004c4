import { expect, test } from 'vitest';
import { messageWithoutRawId, T0 } from '../../testing/kept-messages.ts';
import { KeptMessages, KeptRoom } from './kept-messages.ts';

/** Returns a message that counts as 500 bytes, and two more for each character. */
const said = (ms: number) => ({ ...messageWithoutRawId('x'.repeat(250), ms), id: String(ms) });

/** Returns what a session keeps in `room`, and the spans that were dropped. */
function openKept(room: KeptRoom) {
  const dropped: number[][] = [];
  const kept = new KeptMessages(room, (from, to) => dropped.push([from - T0, to - T0]));
  return { kept, dropped };
}

test('past the limit of all sessions, the one that keeps the most loses its oldest messages', () => {
  const room = new KeptRoom(10_000);
  const [quiet, noisy] = [openKept(room), openKept(room)];
  for (let ms = 0; ms < 8; ms += 1) noisy.kept.push(said(ms));
  quiet.kept.push(said(0));
  quiet.kept.push(said(1));
  expect([noisy.dropped, quiet.dropped]).toEqual([[], []]);
  quiet.kept.push(said(2));
  expect([noisy.dropped, quiet.dropped]).toEqual([[[0, 2]], []]);
  expect([noisy.kept.oldestAt, quiet.kept.oldestAt]).toEqual([T0 + 2, T0]);
});

test('what is forgotten or taken makes room', () => {
  const room = new KeptRoom(10_000);
  const { kept, dropped } = openKept(room);
  for (let ms = 0; ms < 10; ms += 1) kept.push(said(ms));
  kept.forgetBefore(T0 + 5);
  for (let ms = 10; ms < 15; ms += 1) kept.push(said(ms));
  const other = openKept(room);
  expect(kept.take().map(({ id }) => Number(id))).toEqual([5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
  for (let ms = 0; ms < 10; ms += 1) other.kept.push(said(ms));
  expect([dropped, other.dropped, kept.oldestAt]).toEqual([[], [], Infinity]);
});

test('a message that is larger than all room is dropped, and reported', () => {
  const { kept, dropped } = openKept(new KeptRoom(999));
  kept.push(said(7));
  expect([dropped, kept.sizeBytes]).toEqual([[[7, 8]], 0]);
});
