import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { joinAsPerson, launchEnv, startAgent } from '@session/agent-kit/testing';
import { agentToken, isRefusedToken, joinRoom } from '@session/media';
import { startMediaServer } from '@session/testing';
import { expect, test } from 'vitest';

const main = fileURLToPath(new URL('main.ts', import.meta.url));
const ROLE = 'echo-agent';

// The test waits 20 s until a token has expired, and 15 s until the media client has given up.
test('an agent that loses its connection after its token has expired is back with the token that the server renewed', async () => {
  await using server = await startMediaServer();
  const room = randomUUID();
  // The server allows a minute for wrong clocks.
  const lifetime = { lifetimeSeconds: -40 };
  const agent = startAgent(main, await launchEnv(server, room, ROLE, lifetime));
  await agent.ready;
  const same = { room: randomUUID(), role: ROLE, agentId: '1', ...lifetime };
  const { token } = await agentToken(server, same);
  const isRefused = async () => {
    try {
      await (await joinRoom({ url: server.url, token })).leave();
      return false;
    } catch (error) {
      return isRefusedToken(error);
    }
  };
  await expect.poll(isRefused).toBe(true);
  await server.kill();
  // The media client has given up: the agent joins again.
  await expect.poll(agent.output).toContain('connection lost');
  await server.start();
  const ann = await joinAsPerson(server, room);
  const answered = async () => {
    await ann.room.say('again');
    return ann.answers();
  };
  await expect.poll(answered).toContain('You said: again');
});
