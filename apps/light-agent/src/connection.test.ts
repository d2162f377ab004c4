import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { joinAsPerson, launchEnv, startAgent } from '@session/agent-kit/testing';
import {
  begin,
  PLANTED_KEY,
  type Reply,
  says,
  sendWords,
  startScriptedModel,
} from '@session/conversation/testing';
import { openRoomService } from '@session/media';
import { startMediaServer, testMedia } from '@session/testing';
import { expect, test } from 'vitest';

const ROLE = 'light-agent';
const main = fileURLToPath(new URL('main.ts', import.meta.url));

/** Says a word again and again, until the request is given up. */
const talksOn: Reply = (response, { gone }) => {
  begin(response);
  const timer = setInterval(() => sendWords(response, 'word '), 50);
  gone.addEventListener('abort', () => clearInterval(timer));
};

test('after a restart of the media server in the middle of an answer the agent is back: that answer is given up, the next text answered', async () => {
  await using server = await startMediaServer();
  await using model = await startScriptedModel(talksOn, says('Here I am.'));
  const room = randomUUID();
  const agent = startAgent(main, {
    ...(await launchEnv(server, room, ROLE)),
    ...variablesOf(model),
  });
  await agent.ready;
  const before = await joinAsPerson(server, room);
  await before.room.say('one');
  await expect.poll(() => model.requests, { timeout: 30_000 }).toHaveLength(1);
  await server.kill();
  await server.start();
  const rooms = openRoomService(server);
  const present = async () => (await rooms.listParticipants(room)).map(({ identity }) => identity);
  await expect.poll(present, { timeout: 30_000 }).toContain('agent-light-agent-00000001');
  const ann = await joinAsPerson(server, room, 'Ben');
  const answered = async () => {
    await ann.room.say('again');
    return ann.answers();
  };
  await expect.poll(answered, { timeout: 30_000, interval: 1000 }).toContain('Here I am.');
  expect(model.requests[0]?.gone.aborted).toBe(true);
}, 90_000);

test('two people are told apart in the prompt: also when one sends under the id of the other’s message, both are answered', async () => {
  await using model = await startScriptedModel(says('Hello both.'));
  const server = testMedia();
  const room = randomUUID();
  const [ann, ben] = [await joinAsPerson(server, room), await joinAsPerson(server, room, 'Ben')];
  const env = { ...(await launchEnv(server, room, ROLE)), ...variablesOf(model) };
  await startAgent(main, env).ready;
  const id = randomUUID();
  await ann.room.sendPacket({ type: 'user_text', data: 'I am first', id });
  await ann.untilAnswered(1);
  // Ben sends under the id of Ann's message: it is another message.
  await ben.room.sendPacket({ type: 'user_text', data: 'I am second', id });
  await ann.untilAnswered(2);
  await ben.untilAnswered(2);
  const prompt = JSON.stringify(model.requests[1]?.body['messages']);
  expect(prompt).toMatch(/Ann: I am first.*Hello both\..*Ben: I am second/);
  expect(model.requests).toHaveLength(2);
});

function variablesOf({ baseUrl }: { readonly baseUrl: string }): Record<string, string> {
  const model = { LLM_BASE_URL: baseUrl, LLM_MODEL: 'scripted' };
  return { LLM_API_KEY: PLANTED_KEY, GREETING: 'off', ...model };
}
