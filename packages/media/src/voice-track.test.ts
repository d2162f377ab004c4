import { randomUUID } from 'node:crypto';
import { SEGMENT_ATTRIBUTE, TRANSCRIPTION_TOPIC } from '@session/contract/room';
import { joinSounds, silence, speech, testMedia, tone } from '@session/testing';
import { expect, test } from 'vitest';
import { VoiceUser } from '../testing/voice-user.ts';
import type { IncomingAudio } from './incoming-audio.ts';
import { joinRoom } from './join-room.ts';
import { agentToken } from './tokens.ts';

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
  await track.write(tone(800, 1000).samples);
  expect(track.queuedMs).toBeGreaterThan(100);
  track.clear();
  expect(track.queuedMs).toBe(0);
  await expect.poll(() => hearing.isSilent).toBe(true);
  await track.close();
});

test('people are heard, whether they were there before or come later; agents are not', async () => {
  const media = testMedia();
  const room = randomUUID();
  const heard = new Map<string, number>();
  const listen = async ({ participant, frames }: IncomingAudio) => {
    for await (const samples of frames) {
      if (samples.some((sample) => Math.abs(sample) > 1000)) {
        heard.set(participant.name, (heard.get(participant.name) ?? 0) + 1);
      }
    }
    heard.set(participant.name, 0);
  };
  const onAudio = (audio: IncomingAudio) => void listen(audio);
  await using ann = await VoiceUser.join(media, room, 'Ann');
  await using other = await joinAgent(room);
  const track = await other.openVoice(24_000);
  await using agent = await joinAgent(room, onAudio);
  const bob = await VoiceUser.join(media, room, 'Bob');
  const sound = joinSounds(speech(500), silence(100));
  await expect
    .poll(async () => {
      await Promise.all([ann.speak(sound), bob.speak(sound), track.write(tone(500, 200).samples)]);
      return heard.size;
    })
    .toBe(2);
  expect([...heard.keys()].toSorted()).toEqual(['Ann', 'Bob']);
  await bob.leave();
  await expect.poll(() => heard.get('Bob')).toBe(0);
  expect(agent.participants.length).toBe(2);
}, 30_000);

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

async function joinAgent(room: string, onAudio?: (audio: IncomingAudio) => void) {
  const media = testMedia();
  const agent = { room, role: 'tester', agentId: randomUUID(), lifetimeSeconds: 600 };
  const { token } = await agentToken(media, agent);
  return await joinRoom({ url: media.url, token, onAudio });
}
