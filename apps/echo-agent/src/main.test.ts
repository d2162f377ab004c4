import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { joinAsPerson, launchEnv, startAgent } from '@session/agent-kit/testing';
import { openRoomService } from '@session/media';
import { startMediaServer, testMedia } from '@session/testing';
import { expect, test } from 'vitest';

const main = fileURLToPath(new URL('main.ts', import.meta.url));
const ROLE = 'echo-agent';
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('each text gets one final answer under a UUID; SIGTERM ends the agent with code 0, after it has left the room', async () => {
  const server = testMedia();
  const room = randomUUID();
  const agent = startAgent(main, await launchEnv(server, room, ROLE));
  await agent.ready;
  const ann = await joinAsPerson(server, room);
  const id = await ann.room.say('one');
  await ann.room.sendPacket({ type: 'user_text', data: 'one', id });
  await ann.room.sendText('lk.chat', 'two');
  await ann.untilAnswered(2);
  expect(ann.answers().toSorted()).toEqual(['You said: one', 'You said: two']);
  for (const event of ann.streams()) {
    expect(event).toMatchObject({
      topic: 'lk.transcription',
      hasEnded: true,
      attributes: {
        'lk.transcription_final': 'true',
        'lk.segment_id': expect.stringMatching(uuid),
      },
      sender: { identity: 'agent-echo-agent-00000001', kind: 'agent' },
    });
  }
  const end = once(agent.child, 'exit');
  agent.child.kill('SIGTERM');
  expect(await end).toEqual([0, null]);
  const ends = () => ann.events.flatMap((event) => ('reason' in event ? [event.reason] : []));
  await expect.poll(ends).toContain('CLIENT_INITIATED');
});

test('two agents in a room each answer a person once, and never each other', async () => {
  const server = testMedia();
  const room = randomUUID();
  const env = { MEDIA_URL: server.url, MEDIA_API_KEY: server.apiKey, SESSION_ID: room };
  const agents = [1, 2].map(() => startAgent(main, { ...env, MEDIA_API_SECRET: server.apiSecret }));
  await Promise.all(agents.map(({ ready }) => ready));
  const ann = await joinAsPerson(server, room);
  await ann.room.say('one');
  await ann.untilAnswered(2);
  // Answers to answers would arrive before these.
  await ann.room.say('two');
  await ann.untilAnswered(4);
  expect(ann.answers().map((text) => text.slice(10))).toEqual(['one', 'one', 'two', 'two']);
});

test('after a restart of the media server the agent is back, and answers', async () => {
  await using server = await startMediaServer();
  const room = randomUUID();
  const agent = startAgent(main, await launchEnv(server, room, ROLE));
  await agent.ready;
  await server.kill();
  await server.start();
  const rooms = openRoomService(server);
  const present = async () => (await rooms.listParticipants(room)).map(({ identity }) => identity);
  await expect.poll(present).toContain('agent-echo-agent-00000001');
  const ann = await joinAsPerson(server, room);
  const answered = async () => {
    await ann.room.say('again');
    return ann.answers();
  };
  await expect.poll(answered).toContain('You said: again');
});

test('the agent ends with code 0 when it is removed, when the room is deleted, and when its parent process ends', async () => {
  const server = testMedia();
  const rooms = openRoomService(server);
  const ends = [
    async (room: string) => rooms.removeParticipant(room, 'agent-echo-agent-00000001'),
    async (room: string) => rooms.deleteRoom(room),
    async (_: string, child: ChildProcess) => child.disconnect(),
  ];
  await Promise.all(
    ends.map(async (end) => {
      const room = randomUUID();
      const agent = startAgent(main, await launchEnv(server, room, ROLE));
      await agent.ready;
      const exit = once(agent.child, 'exit');
      await end(room, agent.child);
      expect(await exit).toEqual([0, null]);
    }),
  );
});

test('a missing variable is named, and ends the agent with code 78', async () => {
  const env = { MEDIA_URL: 'ws://127.0.0.1:1', MEDIA_API_KEY: 'key', SESSION_ID: 'r' };
  const agent = startAgent(main, { ...env, MEDIA_API_SECRET: '' });
  expect(await once(agent.child, 'close')).toEqual([78, null]);
  expect(agent.output()).toMatch(/^MEDIA_API_SECRET is not set: .+\n$/);
});

test('with a wrong key or secret the agent ends at once with code 78, and names the variables', async () => {
  const { url, apiKey, apiSecret } = testMedia();
  const wrong = [
    { MEDIA_API_KEY: apiKey, MEDIA_API_SECRET: 'another'.repeat(8) },
    { MEDIA_API_KEY: 'another', MEDIA_API_SECRET: apiSecret },
  ];
  for (const keys of wrong) {
    const agent = startAgent(main, { MEDIA_URL: url, SESSION_ID: randomUUID(), ...keys });
    expect(await once(agent.child, 'close')).toEqual([78, null]);
    expect(agent.output()).toMatch(
      /^The media server refuses the token\. Check MEDIA_API_KEY and /m,
    );
  }
});
