import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { launchEnv, startAgent } from '@session/agent-kit/testing';
import { agentToken, openRoomService } from '@session/media';
import { type Hearing, VoiceUser, WHOLE_SPEECH_MS } from '@session/media/testing';
import {
  joinSounds,
  silence,
  speech,
  startMediaServer,
  type TestMedia,
  testMedia,
  tone,
} from '@session/testing';
import { expect, test } from 'vitest';

const main = fileURLToPath(new URL('main.ts', import.meta.url));
const AGENT = 'agent-echo-agent-00000001';
const WARM_UP = 300;
const OTHER_WARM_UP = 400;

/** Starts an echo agent in a room. Returns the room, and the agent. */
async function startEcho(server: TestMedia, ECHO_MODE: string) {
  const room = randomUUID();
  const env = { ...(await launchEnv(server, room, 'echo-agent')), ECHO_MODE };
  const agent = startAgent(main, env);
  await agent.ready;
  return { room, agent };
}

function tones(...frequencies: readonly number[]) {
  return joinSounds(...frequencies.map((frequency) => tone(frequency, 300)));
}

/** Resolves when the agent receives what the person says: it has to subscribe to the microphone first. */
async function untilEchoed(
  person: VoiceUser,
  hearing: Hearing,
  frequency = WARM_UP,
): Promise<void> {
  const echoed = async () => {
    await person.speak(joinSounds(tone(frequency, 300), silence(1500)));
    return hearing.tones;
  };
  await expect.poll(echoed).toContain(frequency);
  await expect.poll(() => hearing.isSilent).toBe(true);
}

test('speech is said back after a pause, of each person in turn, also of one who left in mid-sentence; never an agent’s', async () => {
  const { room, agent } = await startEcho(testMedia(), 'audio');
  const whole = { queueMs: WHOLE_SPEECH_MS };
  await using ann = await VoiceUser.join(testMedia(), room, 'Ann', whole);
  await using bob = await VoiceUser.join(testMedia(), room, 'Bob', whole);
  const other = { room, role: 'tester', agentId: randomUUID() };
  const { token } = await agentToken(testMedia(), other);
  await using stranger = await VoiceUser.join(testMedia(), room, 'Agent', { token });
  const hearing = await ann.hear(AGENT);
  const ofBob = await ann.hear(bob.identity);
  await untilEchoed(ann, hearing);
  await untilEchoed(bob, hearing, OTHER_WARM_UP);
  await ann.joined.say('typed text is not answered');
  const spoken = ann.speak(joinSounds(tones(500, 700), silence(500), tones(900)));
  const byAgent = stranger.speak(tones(1500, 1700));
  const unfinished = bob.speak(joinSounds(silence(1000), tone(1100, 60_000)));
  const { endedAt } = await spoken;
  await byAgent;
  await expect.poll(() => ofBob.tones).toContain(1100);
  await bob.leave();
  await unfinished;
  const said = () => hearing.tones.filter((frequency) => frequency > OTHER_WARM_UP);
  await expect.poll(() => said().toSorted((a, b) => a - b)).toEqual([500, 700, 900, 1100]);
  const ofAnn = hearing.sounds.find((sound) => sound.tones.includes(500));
  expect(ofAnn?.startedAt).toBeGreaterThan(endedAt + 500);
  expect(said().filter((frequency) => frequency < 1100)).toEqual([500, 700, 900]);
  expect(ann.events.filter(({ type }) => type === 'text_stream')).toEqual([]);
  const end = once(agent.child, 'exit');
  agent.child.kill('SIGTERM');
  expect(await end).toEqual([0, null]);
});

test('in the mode both, text is answered and speech is said back; SIGTERM cuts the speech off', async () => {
  const { room, agent } = await startEcho(testMedia(), 'both');
  await using ann = await VoiceUser.join(testMedia(), room, 'Ann');
  const hearing = await ann.hear(AGENT);
  await untilEchoed(ann, hearing);
  await ann.joined.say('one');
  const speaking = ann.speak(joinSounds(tones(600), speech(3500), tones(900), silence(900)));
  const texts = () => ann.events.filter((event) => event.type === 'text_stream');
  await expect.poll(texts).toMatchObject([{ text: 'You said: one' }]);
  await speaking;
  await expect.poll(() => hearing.tones).toContain(600);
  const end = once(agent.child, 'exit');
  agent.child.kill('SIGTERM');
  expect(await end).toEqual([0, null]);
  expect(hearing.tones).not.toContain(900);
});

test('in the mode text no microphone is published', async () => {
  const { room } = await startEcho(testMedia(), 'text');
  await using ann = await VoiceUser.join(testMedia(), room, 'Ann');
  await ann.speak(tones(500));
  await ann.joined.say('one');
  const texts = () => ann.events.filter((event) => event.type === 'text_stream');
  await expect.poll(texts).toMatchObject([{ text: 'You said: one' }]);
  expect(ann.microphones).toEqual([]);
});

test('after a restart of the media server speech is said back again', async () => {
  await using server = await startMediaServer();
  const { room } = await startEcho(server, 'audio');
  await using ann = await VoiceUser.join(server, room, 'Ann');
  const before = await ann.hear(AGENT);
  await ann.untilListenedTo();
  await ann.speak(tones(500));
  await expect.poll(() => before.tones).toEqual([500]);
  await server.kill();
  await server.start();
  const rooms = openRoomService(server);
  const present = async () => (await rooms.listParticipants(room)).map(({ identity }) => identity);
  await expect.poll(present).toEqual(expect.arrayContaining([AGENT, ann.identity]));
  const hearing = await ann.hear(AGENT);
  const echoed = async () => {
    await ann.speak(joinSounds(tones(900), silence(1500)));
    return [...before.tones, ...hearing.tones];
  };
  await expect.poll(echoed).toContain(900);
});
