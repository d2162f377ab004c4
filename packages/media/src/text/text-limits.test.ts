import { randomUUID } from 'node:crypto';
import type { RoomEvent } from '@session/contract/room';
import { testMedia } from '@session/testing';
import { expect, test } from 'vitest';
import { joinAsRecorder, joinAsUser, makeRoomName, untilHeard } from '../../testing/rooms.ts';
import { sdkInternals } from '../sdk-internals.ts';
import { TextLimits } from './text-limits.ts';

const MIB = 1024 * 1024;

/** Returns a stream of this size, which notes when it is given up. */
function stream(identity: string, sizeBytes: number, givenUp: string[], name = '') {
  const close = () => void givenUp.push(`closed: ${name}`);
  return { identity, sizeBytes, giveUp: () => void givenUp.push(name), close };
}

/** Returns the texts of a room, in the order in which they were reported. */
function textsOf(events: readonly RoomEvent[]) {
  return events.flatMap((event) =>
    event.type === 'text_stream' ? { text: event.text, hasEnded: event.hasEnded } : [],
  );
}

test('one sender’s streams cost another sender nothing, and only as many are given up as must be', () => {
  const limits = new TextLimits();
  const givenUp: string[] = [];
  limits.add(stream('other', 2 * MIB, givenUp, 'of the other'));
  limits.add(stream('one', MIB, givenUp, 'first'));
  limits.add(stream('one', MIB, givenUp, 'second'));
  expect(givenUp).toEqual([]);
  limits.add(stream('one', MIB / 2, givenUp, 'third'));
  expect(givenUp).toEqual(['first']);
  limits.add(stream('one', MIB / 2, givenUp, 'fourth'));
  expect(givenUp).toEqual(['first']);
});

test('streams that are over do not count', () => {
  const limits = new TextLimits();
  const givenUp: string[] = [];
  for (let count = 0; count < 500; count += 1) {
    const text = stream('one', MIB, givenUp);
    limits.add(text);
    limits.remove(text);
  }
  expect(givenUp).toEqual([]);
});

test('all identities of a user are one sender', () => {
  const limits = new TextLimits();
  const givenUp: string[] = [];
  const user = `user-${randomUUID()}`;
  limits.add(stream(`${user}-aaaaaa`, MIB, givenUp, 'on the laptop'));
  limits.add(stream(`user-${randomUUID()}-cccccc`, MIB, givenUp, 'of another user'));
  limits.add(stream(`${user}-bbbbbb`, 2 * MIB, givenUp, 'on the phone'));
  expect(givenUp).toEqual(['on the laptop']);
});

test('of the streams that are given up without words, the newest 50 wait for their first ones', () => {
  const limits = new TextLimits();
  const givenUp: string[] = [];
  const texts = Array.from({ length: 102 }, (_, index) => stream('one', 0, givenUp, `${index}`));
  for (const text of texts) limits.add(text);
  expect(givenUp.filter((name) => name.startsWith('closed'))).toEqual(['closed: 0', 'closed: 1']);
  expect(givenUp.filter((name) => !name.startsWith('closed'))).toHaveLength(52);
});

test('of 51 open streams of one sender, the oldest is reported as broken and read no further; all others stay whole', async () => {
  const room = makeRoomName();
  await using listener = await joinAsRecorder(testMedia(), room);
  await using ann = await joinAsUser(testMedia(), room, 'Ann');
  const writers = [];
  for (let index = 0; index <= 50; index += 1) {
    const writer = await ann.openText('lk.chat');
    await writer.write(`begin ${index}`);
    writers.push(writer);
  }
  await expect.poll(() => textsOf(listener.events)).toEqual([{ text: 'begin 0', hasEnded: false }]);
  for (const writer of writers) {
    await writer.write(', end');
    await writer.end();
  }
  await expect.poll(() => textsOf(listener.events)).toHaveLength(51);
  const expected = writers.map((_, index) =>
    index === 0
      ? { text: 'begin 0', hasEnded: false }
      : { text: `begin ${index}, end`, hasEnded: true },
  );
  expect(textsOf(listener.events)).toEqual(expected);
});

test('a stream that is given up before its first words is reported with these', async () => {
  const room = makeRoomName();
  await using listener = await joinAsRecorder(testMedia(), room);
  await using ann = await joinAsUser(testMedia(), room, 'Ann');
  const writers = [];
  for (let index = 0; index <= 51; index += 1) writers.push(await ann.openText('lk.chat'));
  await ann.sendText('lk.transcription', 'a mark');
  await expect.poll(() => textsOf(listener.events)).toHaveLength(1);
  await writers[0]?.write('first words');
  await writers[0]?.write(', and more');
  await expect
    .poll(() => textsOf(listener.events))
    .toContainEqual({ text: 'first words', hasEnded: false });
});

test.each([
  { words: '', ended: 400 },
  { words: 'begin', ended: 450 },
])(
  'of 500 open streams of one sender, the SDK reads at most 100: with $words in each',
  async ({ words, ended }) => {
    const room = makeRoomName();
    await using listener = await joinAsRecorder(testMedia(), room);
    await using ann = await joinAsUser(testMedia(), room, 'Ann');
    await untilHeard(listener, ann);
    const { client } = sdkInternals();
    const listeners = client.listenerCount('ffi_event');
    const writers = [];
    for (let index = 0; index < 500; index += 1) {
      const writer = await ann.openText('lk.chat');
      if (words) await writer.write(words);
      writers.push(writer);
    }
    await expect.poll(() => textsOf(listener.events)).toHaveLength(ended);
    // One listener serves all trailers.
    expect(client.listenerCount('ffi_event') - listeners).toBe(500 - ended + 1);
    for (const writer of writers) await writer.end();
    await expect.poll(() => textsOf(listener.events)).toHaveLength(500);
    expect(client.listenerCount('ffi_event')).toBe(listeners);
  },
);

test('the open streams of one sender hold 2 MiB together at most', async () => {
  const room = makeRoomName();
  await using listener = await joinAsRecorder(testMedia(), room);
  await using ann = await joinAsUser(testMedia(), room, 'Ann');
  for (let index = 0; index < 5; index += 1) {
    const writer = await ann.openText('lk.chat');
    await writer.write(String(index).repeat(500_000));
  }
  await expect
    .poll(() => textsOf(listener.events))
    .toEqual([{ text: '0'.repeat(500_000), hasEnded: false }]);
});
