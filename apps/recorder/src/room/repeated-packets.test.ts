import type { RoomEvent } from '@session/contract/room';
import { expect, test } from 'vitest';
import { Overlap } from './repeated-packets.ts';

test('what the room before has said is repeated once for each time, whoever is announced where', () => {
  const overlap = new Overlap();
  const now = Date.now();
  for (const words of ['long ago', 'yes', 'yes', 'no']) {
    overlap.note(packet(words, words === 'long ago' ? now - 2001 : now));
  }
  const isRepeated = overlap.follow(now);
  const heard = [
    packet('long ago', now),
    packet('yes', now, 'user-2'),
    packet('yes', now, null),
    packet('yes', now),
    packet('yes', now),
    packet('no', now + 60_000),
  ];
  expect(heard.map(isRepeated)).toEqual([false, false, true, true, false, false]);
});

test('what is remembered of a room is bounded, and the newest stays', () => {
  const overlap = new Overlap();
  const now = Date.now();
  for (let number = 0; number <= 10_000; number += 1) overlap.note(packet(`${number}`, now));
  const isRepeated = overlap.follow(now);
  const heard = ['0', '5000', '5001', '10000'].map((words) => isRepeated(packet(words, now)));
  expect(heard).toEqual([false, false, true, true]);
});

test('what is forgotten because it is old takes nothing with it that is not', () => {
  const overlap = new Overlap();
  const now = Date.now();
  overlap.note(packet('long ago', now - 61_000));
  for (let number = 0; number < 8000; number += 1) overlap.note(packet(`${number}`, now));
  const isRepeated = overlap.follow(now);
  const heard = ['0', '7999'].map((words) => isRepeated(packet(words, now)));
  expect(heard).toEqual([true, true]);
});

test('a room repeats nothing of the one before the one before it', () => {
  const overlap = new Overlap();
  overlap.note(packet('one', Date.now()));
  overlap.follow(Date.now());
  expect(overlap.follow(Date.now())(packet('one', Date.now()))).toBe(false);
});

function packet(words: string, receivedAt: number, identity: string | null = 'user-1'): RoomEvent {
  const sender = identity === null ? null : { identity, name: '', sid: '', kind: 'standard' };
  return { type: 'packet', payload: Buffer.from(words), sender, receivedAt };
}
