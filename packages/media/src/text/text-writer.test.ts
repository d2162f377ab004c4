import { testMedia } from '@session/testing';
import { expect, test } from 'vitest';
import {
  joinAsRecorder,
  joinAsUser,
  lastText,
  makeRoomName,
  untilHeard,
} from '../../testing/rooms.ts';
import { sdkInternals } from '../sdk-internals.ts';

const TOPIC = 'lk.chat';

test('the parts of a text arrive as one text, in their order, under the id of the stream', async () => {
  const server = testMedia();
  const room = makeRoomName();
  await using recorder = await joinAsRecorder(server, room);
  await using ann = await joinAsUser(server, room, 'Ann');
  await untilHeard(recorder, ann);
  const parts = ['Good', '', ' ', 'mörning ', '👋', '\n', 'x'.repeat(40_000)];
  const writer = await ann.openText(TOPIC, { language: 'en' });
  for (const part of parts) await writer.write(part);
  await writer.end();
  await expect
    .poll(() => lastText(recorder.events))
    .toMatchObject({
      type: 'text_stream',
      topic: TOPIC,
      streamId: writer.streamId,
      attributes: { language: 'en' },
      text: parts.join(''),
      hasEnded: true,
    });
});

test('a text ends once: a second end is harmless, a further part is refused', async () => {
  const server = testMedia();
  await using ann = await joinAsUser(server, makeRoomName(), 'Ann');
  const writer = await ann.openText(TOPIC);
  await writer.write('all');
  await writer.end();
  await writer.ended;
  await writer.end();
  await writer[Symbol.asyncDispose]();
  await expect(writer.write('more')).rejects.toMatchObject({
    code: 'media_unavailable',
    message: expect.stringMatching(/^cannot continue a text: /),
  });
});

test('two open texts of one sender do not mix', async () => {
  const server = testMedia();
  const room = makeRoomName();
  await using recorder = await joinAsRecorder(server, room);
  await using ann = await joinAsUser(server, room, 'Ann');
  await untilHeard(recorder, ann);
  const [first, second] = [await ann.openText(TOPIC), await ann.openText(TOPIC)];
  expect(first.streamId).not.toBe(second.streamId);
  await first.write('one ');
  await second.write('two ');
  await first.write('first');
  await second.write('second');
  await first.end();
  await second.end();
  const texts = () =>
    recorder.events.flatMap((event) => (event.type === 'text_stream' ? [event.text] : []));
  await expect.poll(texts).toEqual(['one first', 'two second']);
});

test('an empty text arrives as empty, and has ended', async () => {
  const server = testMedia();
  const room = makeRoomName();
  await using recorder = await joinAsRecorder(server, room);
  await using ann = await joinAsUser(server, room, 'Ann');
  await untilHeard(recorder, ann);
  await using writer = await ann.openText('lk.transcription');
  await writer.end();
  await expect
    .poll(() => lastText(recorder.events))
    .toMatchObject({ type: 'text_stream', text: '', hasEnded: true });
});

test('a text of more than 1 MiB breaks at its receiver, and its sender stays in the room', async () => {
  const server = testMedia();
  const room = makeRoomName();
  await using recorder = await joinAsRecorder(server, room);
  await using ann = await joinAsUser(server, room, 'Ann');
  await untilHeard(recorder, ann);
  await ann.sendText(TOPIC, 'x'.repeat(1_048_577));
  const events = () =>
    recorder.events.flatMap((event) => ('hasEnded' in event ? [event.hasEnded] : []));
  await expect.poll(events).toEqual([false]);
  await ann.sendText(TOPIC, 'still here');
  await expect.poll(() => lastText(recorder.events)).toMatchObject({ text: 'still here' });
});

test('what a text ends with joins what it began with, also while its last parts are still on their way', async () => {
  const server = testMedia();
  const room = makeRoomName();
  await using recorder = await joinAsRecorder(server, room);
  await using ann = await joinAsUser(server, room, 'Ann');
  await untilHeard(recorder, ann);
  const writers = await Promise.all(
    ['1', '2', '3'].map(async (number) => await ann.openText(TOPIC, { number, mark: 'no' })),
  );
  const ends = writers.map(async (writer) => {
    const parts = Array.from({ length: 20 }, async (_, index) => await writer.write(`${index} `));
    await writer.end({ mark: writer.streamId, 'session.interrupted': 'true' });
    await Promise.all(parts);
  });
  await Promise.all(ends);
  const texts = () => recorder.events.filter((event) => event.type === 'text_stream');
  await expect.poll(texts).toHaveLength(3);
  for (const [index, { streamId }] of writers.entries()) {
    expect(texts().find((text) => text.streamId === streamId)).toMatchObject({
      text: '0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 ',
      hasEnded: true,
      attributes: { number: `${index + 1}`, mark: streamId, 'session.interrupted': 'true' },
    });
  }
});

test('a text that is ended with attributes ends once, and leaves no listener behind', async () => {
  const server = testMedia();
  const room = makeRoomName();
  await using recorder = await joinAsRecorder(server, room);
  await using ann = await joinAsUser(server, room, 'Ann');
  await untilHeard(recorder, ann);
  const { client } = sdkInternals();
  await ann.sendText(TOPIC, 'first');
  await expect.poll(() => lastText(recorder.events)).toMatchObject({ text: 'first' });
  const listeners = client.listenerCount('ffi_event');
  const writer = await ann.openText(TOPIC);
  await writer.end({ mark: 'one' });
  await writer.end({ mark: 'two' });
  await writer.ended;
  await expect(writer.write('more')).rejects.toMatchObject({ code: 'media_unavailable' });
  await expect.poll(() => lastText(recorder.events)).toMatchObject({ attributes: { mark: 'one' } });
  expect(client.listenerCount('ffi_event')).toBe(listeners);
});
