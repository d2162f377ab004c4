import type { RoomEvent } from '@session/contract/room';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { RepeatedPackets } from './repeated-packets.ts';

test('each packet of the room before counts as repeated once, wherever its sender is announced', () => {
  const packets = new RepeatedPackets();
  const now = Date.now();
  for (const words of ['long ago', 'yes', 'yes', 'no']) {
    packets.remember(packet(words, words === 'long ago' ? now - 1 : now));
  }
  const isRepeated = packets.detectorFor(now, Date.now());
  const received = [
    packet('long ago', now),
    packet('yes', now, 'user-2'),
    packet('yes', now, null),
    packet('yes', now),
    packet('yes', now),
    packet('no', now + 60_000),
  ];
  expect(received.map(isRepeated)).toEqual([false, false, true, true, false, false]);
});

test('the remembered packets of a room are bounded, and the newest stay', () => {
  const packets = new RepeatedPackets();
  const now = Date.now();
  for (let number = 0; number <= 10_000; number += 1) packets.remember(packet(`${number}`, now));
  const isRepeated = packets.detectorFor(now, Date.now());
  const received = ['0', '5000', '5001', '10000'].map((words) => isRepeated(packet(words, now)));
  expect(received).toEqual([false, false, true, true]);
});

test('a packet that is forgotten because it is old takes no newer packet with it', () => {
  const packets = new RepeatedPackets();
  const now = Date.now();
  packets.remember(packet('long ago', now - 61_000));
  for (let number = 0; number < 8000; number += 1) packets.remember(packet(`${number}`, now));
  const isRepeated = packets.detectorFor(now, Date.now());
  const received = ['0', '7999'].map((words) => isRepeated(packet(words, now)));
  expect(received).toEqual([true, true]);
});

test('a room repeats nothing of the room before the last', () => {
  const packets = new RepeatedPackets();
  packets.remember(packet('one', Date.now()));
  packets.detectorFor(Date.now(), Date.now());
  expect(packets.detectorFor(Date.now(), Date.now())(packet('one', Date.now()))).toBe(false);
});

function packet(words: string, receivedAt: number, identity: string | null = 'user-1'): RoomEvent {
  const sender = identity === null ? null : { identity, name: '', sid: '', kind: 'standard' };
  return { type: 'packet', payload: Buffer.from(words), sender, receivedAt };
}

test('whatever comes through both rooms in whichever mixture, each packet is taken exactly once', () => {
  const words = fc.constantFrom('yes', 'no', 'ping');
  fc.assert(
    fc.property(
      fc.array(words, { maxLength: 20 }),
      fc.array(words, { maxLength: 20 }),
      (old, fresh) => {
        const now = Date.now();
        const packets = new RepeatedPackets();
        for (const word of old) packets.remember(packet(word, now));
        const isRepeated = packets.detectorFor(now, Date.now());
        // The fresh room delivers the packets of the old room too, and then its own.
        const taken = [...old, ...fresh].filter((word) => !isRepeated(packet(word, now)));
        expect(taken).toEqual(fresh);
      },
    ),
  );
});

test('events that are no packets are never taken for a repetition', () => {
  const packets = new RepeatedPackets();
  const chat: RoomEvent = {
    type: 'chat_message',
    id: '1',
    text: 'yes',
    sentAt: null,
    sender: null,
    receivedAt: Date.now(),
  };
  packets.remember(chat);
  expect(packets.detectorFor(Date.now(), Date.now())(chat)).toBe(false);
});

test('packets since the next room began to connect count as repeated, and older ones do not', () => {
  const now = Date.now();
  for (const [ageMs, isRepeated] of [
    [0, true],
    [1, false],
  ] as const) {
    const packets = new RepeatedPackets();
    packets.remember(packet('yes', now - ageMs));
    expect(packets.detectorFor(now, Date.now())(packet('yes', now))).toBe(isRepeated);
  }
});

test('a packet counts as repeated for five seconds', () => {
  const now = Date.now();
  const packets = new RepeatedPackets();
  for (const words of ['yes', 'no']) packets.remember(packet(words, now));
  const isRepeated = packets.detectorFor(now, now);
  const received = [packet('yes', now + 5000), packet('no', now + 5001)];
  expect(received.map(isRepeated)).toEqual([true, false]);
});
