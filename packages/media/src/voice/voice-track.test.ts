import { randomUUID } from 'node:crypto';
import { SEGMENT_ATTRIBUTE, TRANSCRIPTION_TOPIC } from '@session/contract/room';
import { testMedia, tone } from '@session/testing';
import { expect, test } from 'vitest';
import { VoiceUser } from '../../testing/voice-user.ts';
import { joinRoom } from '../room/join-room.ts';
import { sdkInternals } from '../sdk-internals.ts';
import { openRoomService } from '../server/room-service.ts';
import { agentToken } from '../server/tokens.ts';

const RATE = 24_000;

test('an agent’s voice is heard by a person who listens, and falls silent at once when it is cleared', async () => {
  const media = testMedia();
  const room = randomUUID();
  await using agent = await joinAgent(room);
  const track = await agent.openVoice(24_000);
  await using ann = await VoiceUser.join(media, room, 'Ann');
  expect(track.isHeard).toBe(false);
  await using hearing = await ann.hear(agent.identity);
  await expect.poll(() => track.isHeard).toBe(true);
  await track.write(tone(600, 500).samples);
  await expect.poll(() => hearing.tones).toEqual([600]);
  const stop = new AbortController();
  const writing = track.write(tone(800, 60_000).samples, stop.signal);
  // Read during the write, because afterwards a busy process may find the queue empty.
  await expect.poll(() => track.queuedMs).toBeGreaterThan(100);
  stop.abort();
  await writing;
  track.clear();
  expect(track.queuedMs).toBe(0);
  await expect.poll(() => hearing.isSilent).toBe(true);
  await track.close();
});

test('what is written is heard in order, also from a view of a larger buffer, at the pace of its sound', async () => {
  const room = randomUUID();
  await using ann = await VoiceUser.join(testMedia(), room, 'Ann');
  await using bob = await joinAgent(room);
  const track = await bob.openVoice(RATE);
  const hearing = await ann.hear(bob.identity);
  await expect.poll(() => track.isHeard).toBe(true);
  const { samples } = tone(500, 400);
  const both = Int16Array.from([...samples, ...tone(900, 400).samples]);
  const begin = performance.now();
  await track.write(samples);
  await track.write(both.subarray(samples.length));
  // The last 200 ms wait in the queue.
  expect(performance.now() - begin).toBeGreaterThan(500);
  await track.untilPlayed();
  await expect.poll(() => hearing.tones).toEqual([500, 900]);
});

test('a write stops when it is aborted, clearing drops the rest, and the next sound is heard', async () => {
  const room = randomUUID();
  await using ann = await VoiceUser.join(testMedia(), room, 'Ann');
  await using bob = await joinAgent(room);
  const track = await bob.openVoice(RATE);
  const hearing = await ann.hear(bob.identity);
  const stop = new AbortController();
  const writing = track.write(tone(500, 60_000).samples, stop.signal);
  await expect.poll(() => hearing.tones).toEqual([500]);
  stop.abort();
  await writing;
  track.clear();
  await track.untilPlayed();
  await expect.poll(() => hearing.isSilent).toBe(true);
  await track.write(tone(900, 300).samples);
  await expect.poll(() => hearing.tones).toEqual([500, 900]);
});

test('leaving in the middle of a sound ends the write, and leaves no listener behind', async () => {
  const { client } = sdkInternals();
  const others = client.listeners('ffi_event');
  const bob = await joinAgent(randomUUID());
  const track = await bob.openVoice(RATE);
  const writing = track.write(tone(500, 60_000).samples);
  const own = () => client.listeners('ffi_event').filter((one) => !others.includes(one));
  expect(own()).not.toEqual([]);
  await Promise.all([
    bob.leave(),
    expect(writing).rejects.toMatchObject({ code: 'media_unavailable' }),
  ]);
  await track.untilPlayed();
  await track.close();
  // An aborted write does not look for the room.
  await track.write(tone(500, 20).samples, AbortSignal.abort());
  // A listener for the answer to the announcement stays until that answer arrives, or counts as lost.
  await expect.poll(own).toEqual([]);
});

test('media_unavailable for sound after the server removed us', async () => {
  const room = randomUUID();
  await using bob = await joinAgent(room);
  const track = await bob.openVoice(RATE);
  const writing = track.write(tone(500, 60_000).samples);
  // The track may fail before the server has answered.
  await Promise.all([
    expect(writing).rejects.toMatchObject({ code: 'media_unavailable' }),
    openRoomService(testMedia()).removeParticipant(room, bob.identity),
  ]);
  const late = track.write(tone(500, 20).samples);
  await expect(late).rejects.toMatchObject({ code: 'media_unavailable' });
});

test('an agent sends what a person said in that person’s name', async () => {
  const room = randomUUID();
  await using agent = await joinAgent(room);
  await using ann = await VoiceUser.join(testMedia(), room, 'Ann');
  await using bob = await VoiceUser.join(testMedia(), room, 'Bob');
  const attributes = { [SEGMENT_ATTRIBUTE]: 'SG_1' };
  await agent.sendTextOf(ann.identity, TRANSCRIPTION_TOPIC, 'Good morning', attributes);
  const streams = () => bob.events.filter(({ type }) => type === 'text_stream');
  await expect.poll(streams).toHaveLength(1);
  expect(streams()[0]).toMatchObject({
    text: 'Good morning',
    attributes,
    sender: { identity: ann.identity, name: 'Ann' },
  });
});

async function joinAgent(room: string) {
  const media = testMedia();
  const agent = { room, role: 'tester', agentId: randomUUID() };
  const { token } = await agentToken(media, agent);
  return await joinRoom({ url: media.url, token });
}
