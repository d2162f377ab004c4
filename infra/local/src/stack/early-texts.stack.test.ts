import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@session/client';
import type { RoomEvent } from '@session/contract/room';
import { PLANTED_KEY, says, startScriptedModel } from '@session/conversation/testing';
import { type JoinedRoom, joinRoom } from '@session/media';
import { expect, onTestFinished, test } from 'vitest';
import { makeStackFolder, startTestStack, until } from '../../testing/stack.ts';
import { signUp } from '../demo/sign-up.ts';

const SAID = 'You said: ';

test('words said from the moment of the request on are answered once each, by each agent and whichever client said them', async () => {
  const folder = await makeStackFolder('early');
  const run = startTestStack(folder);
  await using model = await startScriptedModel(says('Noted.'));
  const { apiUrl } = await run.up();
  const [ann, ben] = [await signUp(apiUrl, 'Ann'), await signUp(apiUrl, 'Ben')];
  const { id: projectId } = await ann.client.projects.create({ name: 'Early' });
  await ann.client.members.add(projectId, { email: ben.email });
  await createTemplate(ann.client, projectId, model.baseUrl);
  const session = await ann.client.sessions.create(projectId, { name: 'Early' });
  const isRecorded = async () =>
    (await ann.client.sessions.get(session.id)).recording.status === 'recording';
  await until(isRecorded);
  const echoes: string[] = [];
  const annsRoom = await join(ann.client, session.id, (event) => {
    if (event.type !== 'text_stream' || !event.text.startsWith(SAID)) return;
    echoes.push(event.text.slice(SAID.length));
  });
  const bensRoom = await join(ben.client, session.id);

  const agents = await Promise.all(
    ['light-agent', 'echo-agent'].map((role) => ann.client.agents.start(session.id, { role })),
  );
  const id = randomUUID();
  await annsRoom.sendPacket({ type: 'user_text', data: 'a packet', id });
  // Another person's message under the same id is another message.
  await bensRoom.sendPacket({ type: 'user_text', data: 'a packet of Ben', id });
  await annsRoom.sendPacket({ type: 'user_text', data: 'a packet with a name', id: 'm-1' });
  await annsRoom.sendPacket({ type: 'user_text', data: 'a packet without an id', id: '' });
  await annsRoom.sendText('lk.chat', 'a chat text');
  await ann.client.messages.say(session.id, { content: 'a text over REST' });
  const texts = ['a packet', 'a packet of Ben', 'a packet with a name', 'a packet without an id'];
  texts.push('a chat text', 'a text over REST');
  // Until well after the agents are in the room, so that some words are said while they join.
  for (let running = 0; running < 5; ) {
    const text = `word ${texts.length}`;
    texts.push(text);
    const isNameless = texts.length % 3 === 0;
    await annsRoom.sendPacket({ type: 'user_text', data: text, ...(isNameless && { id: '' }) });
    await sleep(50);
    const found = await Promise.all(agents.map((one) => ann.client.agents.get(one.id)));
    if (found.every(({ status }) => status === 'Running')) running += 1;
  }

  await expect.poll(() => echoes.toSorted()).toEqual(texts.toSorted());
  const prompt = () => JSON.stringify(model.requests.at(-1)?.body['messages']);
  const inPrompt = () => texts.map((text) => [text, timesIn(prompt(), text)]);
  await expect.poll(inPrompt).toEqual(texts.map((text) => [text, 1]));
  // The API looks for texts several times. A surplus answer must have come before the last time.
  const log = path.join(folder, 'logs/api.log');
  const isLooking = async () =>
    timesIn(await readFile(log, 'utf8'), 'sent earlier texts to agent') < 2;
  await until(async () => !(await isLooking()));
  expect(echoes.toSorted()).toEqual(texts.toSorted());
  expect(inPrompt()).toEqual(texts.map((text) => [text, 1]));
}, 400_000);

/** Counts `text` as a whole: it ends at a quote, or at a line end in JSON. */
function timesIn(prompt: string, text: string): number {
  return prompt.split(new RegExp(`${text}(?=["\\\\])`)).length - 1;
}

async function createTemplate(client: Client, projectId: string, baseUrl: string): Promise<void> {
  const variables = {
    LLM_API_KEY: PLANTED_KEY,
    LLM_BASE_URL: baseUrl,
    LLM_MODEL: 'scripted',
    GREETING: 'off',
  };
  await client.envTemplates.create(projectId, { name: 'Model', variables });
}

async function join(
  client: Client,
  sessionId: string,
  onEvent: (event: RoomEvent) => void = () => {},
): Promise<JoinedRoom> {
  const { serverUrl, participantToken: token } = await client.sessions.createToken(sessionId);
  const room = await joinRoom({ url: serverUrl, token, onEvent });
  onTestFinished(() => room.leave());
  return room;
}
