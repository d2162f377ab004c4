import { joinSounds, noise, silence, speech, testMedia, tone } from '@session/testing';
import { expect, test } from 'vitest';
import { joinAsRecorder, makeRoomName, packetsIn } from '../../testing/rooms.ts';
import { VoiceUser, WHOLE_SPEECH_MS } from '../../testing/voice-user.ts';

const queueMs = WHOLE_SPEECH_MS;

test('sounds reach a listener in their order, with their tones, lengths and pauses', async () => {
  const room = makeRoomName();
  await using ann = await VoiceUser.join(testMedia(), room, 'Ann', { queueMs });
  await using bob = await VoiceUser.join(testMedia(), room, 'Bob');
  const hearing = await bob.hear(ann.identity);
  const tones = joinSounds(tone(500, 300), tone(800, 300));
  const sounds = [tones, silence(400), noise(300), silence(400), speech(600), silence(500)];
  const { startedAt } = await ann.speak(joinSounds(...sounds));
  await expect.poll(() => hearing.sounds).toHaveLength(3);
  await expect.poll(() => hearing.isSilent).toBe(true);
  const [first, cough, words] = hearing.sounds;
  expect(first?.tones).toEqual([500, 800]);
  expect(cough?.tones).toEqual([]);
  expect(first?.startedAt).toBeGreaterThan(startedAt);
  expect(words?.startedAt).toBeGreaterThan(cough?.endedAt ?? Infinity);
  expect(hearing.loudMs).toBeGreaterThan(1200);
  expect(hearing.loudMs).toBeLessThan(1900);
});

test('a person who is hushed falls silent, and can speak and type again', async () => {
  const room = makeRoomName();
  await using recorder = await joinAsRecorder(testMedia(), room);
  await using ann = await VoiceUser.join(testMedia(), room, 'Ann', { queueMs });
  await using bob = await VoiceUser.join(testMedia(), room, 'Bob');
  const hearing = await bob.hear();
  const speaking = ann.speak(tone(500, 60_000));
  await expect.poll(() => hearing.tones).toEqual([500]);
  ann.hush();
  await speaking;
  await expect.poll(() => hearing.isSilent).toBe(true);
  await ann.speak(tone(800, 200));
  await expect.poll(() => hearing.tones).toEqual([500, 800]);
  await ann.joined.say('hello');
  await expect.poll(() => packetsIn(recorder.events)).toMatchObject([{ data: 'hello' }]);
});
