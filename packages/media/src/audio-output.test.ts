import { testMedia, tone } from '@session/testing';
import { expect, test } from 'vitest';
import { joinAsUser, makeRoomName } from '../testing/rooms.ts';
import { Voice } from '../testing/voice.ts';
import { openRoomService } from './room-service.ts';
import { sdkInternals } from './sdk-internals.ts';

const RATE = 24_000;

test('what is written is heard in order, also from a view of a larger buffer, at the pace of its sound', async () => {
  const room = makeRoomName();
  await using ann = await Voice.join(testMedia(), room, 'Ann');
  await using bob = await joinAsUser(testMedia(), room, 'Bob');
  const output = await bob.publishMicrophone(RATE);
  const hearing = await ann.hear(bob.identity);
  const { samples } = tone(500, 400);
  const both = Int16Array.from([...samples, ...tone(900, 400).samples]);
  const begin = performance.now();
  await output.write(samples);
  await output.write(both.subarray(samples.length));
  // The last 200 ms wait in the queue.
  expect(performance.now() - begin).toBeGreaterThan(500);
  await output.untilSent();
  await expect.poll(() => hearing.tones).toEqual([500, 900]);
});

test('a write stops when it is aborted, clearing drops the rest, and the next sound is heard', async () => {
  const room = makeRoomName();
  await using ann = await Voice.join(testMedia(), room, 'Ann');
  await using bob = await joinAsUser(testMedia(), room, 'Bob');
  const output = await bob.publishMicrophone(RATE);
  const hearing = await ann.hear(bob.identity);
  const stop = new AbortController();
  const writing = output.write(tone(500, 60_000).samples, stop.signal);
  await expect.poll(() => hearing.tones).toEqual([500]);
  stop.abort();
  await writing;
  output.clear();
  await output.untilSent();
  await expect.poll(() => hearing.isSilent).toBe(true);
  await output.write(tone(900, 300).samples);
  await expect.poll(() => hearing.tones).toEqual([500, 900]);
});

test('leaving in the middle of a sound ends the write, and leaves no listener behind', async () => {
  const { client } = sdkInternals();
  const listeners = client.listenerCount('ffi_event');
  const bob = await joinAsUser(testMedia(), makeRoomName(), 'Bob');
  const output = await bob.publishMicrophone(RATE);
  const writing = output.write(tone(500, 60_000).samples);
  await Promise.all([
    bob.leave(),
    expect(writing).rejects.toMatchObject({ code: 'media_unavailable' }),
  ]);
  await output.untilSent();
  await output.close();
  expect(client.listenerCount('ffi_event')).toBe(listeners);
});

test('media_unavailable for sound after the server removed us', async () => {
  const room = makeRoomName();
  await using bob = await joinAsUser(testMedia(), room, 'Bob');
  const output = await bob.publishMicrophone(RATE);
  const writing = output.write(tone(500, 60_000).samples);
  await openRoomService(testMedia()).removeParticipant(room, bob.identity);
  await expect(writing).rejects.toMatchObject({ code: 'media_unavailable' });
  const late = output.write(tone(500, 20).samples);
  await expect(late).rejects.toMatchObject({ code: 'media_unavailable' });
});
