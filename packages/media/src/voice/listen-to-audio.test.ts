import { randomUUID } from 'node:crypto';
import { joinSounds, silence, startMediaServer, testMedia, tone } from '@session/testing';
import { expect, test } from 'vitest';
import { joinAsUser, makeRoomName } from '../../testing/rooms.ts';
import { VoiceUser } from '../../testing/voice-user.ts';
import { sdkInternals } from '../sdk-internals.ts';
import type { MediaServer } from '../server/media-server.ts';
import { agentToken } from '../server/tokens.ts';
import type { IncomingAudio } from './incoming-audio.ts';

/** Half of the amplitude of the tests' tones. */
const LOUD = 4500;

/** Listens to all people in the room. Counts the loud samples of each sender. */
async function listen(server: MediaServer, room: string) {
  const loud = new Map<string, number>();
  const open = new Set<string>();
  const onAudio = async ({ participant: { identity }, frames }: IncomingAudio) => {
    open.add(identity);
    for await (const frame of frames) {
      const count = frame.filter((sample) => Math.abs(sample) > LOUD).length;
      if (count > 0) loud.set(identity, (loud.get(identity) ?? 0) + count);
    }
    open.delete(identity);
  };
  const joined = await joinAsUser(server, room, 'Listener', {
    onAudio: (audio) => void onAudio(audio),
  });
  return { joined, loud, open, [Symbol.asyncDispose]: () => joined.leave() };
}

async function joinAgentVoice(server: MediaServer, room: string): Promise<VoiceUser> {
  const agent = { room, role: 'tester', agentId: randomUUID() };
  const { token } = await agentToken(server, agent);
  return await VoiceUser.join(server, room, 'Agent', { token });
}

test('people are heard, those who came before us and those who come later, until they leave; agents never', async () => {
  const room = makeRoomName();
  await using ann = await VoiceUser.join(testMedia(), room, 'Ann');
  await using agent = await joinAgentVoice(testMedia(), room);
  await using listener = await listen(testMedia(), room);
  const { loud, open } = listener;
  const bob = await VoiceUser.join(testMedia(), room, 'Bob');
  await expect.poll(() => open).toEqual(new Set([ann.identity, bob.identity]));
  await Promise.all([ann, bob].map((voice) => voice.untilListenedTo()));
  await Promise.all([ann, bob, agent].map((voice) => voice.speak(tone(500, 1000))));
  // Two thirds of a sine are above half of its amplitude: of 16,000 samples about 10,700.
  await expect.poll(() => [...loud.values()].filter((count) => count > 7000)).toHaveLength(2);
  expect([...loud.keys()].toSorted()).toEqual([ann.identity, bob.identity]);
  for (const count of loud.values()) expect(count).toBeLessThan(13_000);
  await bob.leave();
  await expect.poll(() => open).toEqual(new Set([ann.identity]));
  await listener.joined.leave();
  await expect.poll(() => open).toEqual(new Set());
});

test('a participant that turns out to be an agent is heard no longer', async () => {
  const room = makeRoomName();
  await using ann = await VoiceUser.join(testMedia(), room, 'Ann');
  await using bob = await VoiceUser.join(testMedia(), room, 'Bob');
  await using listener = await listen(testMedia(), room);
  const { loud, open } = listener;
  await expect.poll(() => open.size).toBe(2);
  await bob.untilListenedTo();
  await ann.joined.setAttributes({ 'lk.agent.state': 'listening' });
  await expect.poll(() => open).toEqual(new Set([bob.identity]));
  await Promise.all([ann, bob].map((voice) => voice.speak(tone(500, 300))));
  await expect.poll(() => [...loud.keys()]).toEqual([bob.identity]);
});

test('after a restart of the server people are heard again, and hear us', async () => {
  await using server = await startMediaServer();
  const room = makeRoomName();
  await using ann = await VoiceUser.join(server, room, 'Ann');
  await using listener = await listen(server, room);
  const { joined, loud, open } = listener;
  const track = await joined.openVoice(8000);
  await expect.poll(() => open).toEqual(new Set([ann.identity]));
  await server.kill();
  await server.start();
  const beep = joinSounds(tone(500, 200), silence(200));
  const isHeard = async () => {
    await ann.speak(beep);
    return loud.has(ann.identity);
  };
  await expect.poll(isHeard).toBe(true);
  const hearing = await ann.hear(joined.identity);
  const hears = async () => {
    await track.write(Int16Array.from({ length: 2400 }, (_, n) => 9000 * Math.sin(n / 3)));
    return hearing.loudMs;
  };
  await expect.poll(hears).toBeGreaterThan(0);
});

test('people who come and go leave no listener behind', async () => {
  const room = makeRoomName();
  await using listener = await listen(testMedia(), room);
  const { open } = listener;
  const { client } = sdkInternals();
  await expect.poll(() => client.listenerCount('ffi_event')).toBeGreaterThan(0);
  let listeners = 0;
  for (let round = 0; round < 3; round += 1) {
    const people = await Promise.all(
      Array.from({ length: 5 }, (_, n) => VoiceUser.join(testMedia(), room, `Person ${n}`)),
    );
    await expect.poll(() => open.size).toBe(5);
    await Promise.all(people.map((person) => person.leave()));
    await expect.poll(() => open.size).toBe(0);
    // Counted after the first round, because a room of an earlier test may still be closing before that.
    if (round === 0) listeners = client.listenerCount('ffi_event');
  }
  await expect.poll(() => client.listenerCount('ffi_event')).toBe(listeners);
});
