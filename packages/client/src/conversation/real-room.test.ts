import { randomUUID } from 'node:crypto';
import { INTERRUPTED_ATTRIBUTE, TRANSCRIPTION_TOPIC } from '@session/contract/room';
import { agentToken, joinRoom } from '@session/media';
import { startMediaServer, testMedia } from '@session/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newPerson } from '../../testing/person.ts';
import { type RealApi, startRealApi } from '../../testing/real-api.ts';
import type { Conversation, TimelineItem } from '../index.ts';
import { nodeRoom } from '../node.ts';

/** One API for all tests that do not need a separate media server. Each test has its own users. */
let api: RealApi;
beforeAll(async () => {
  api = await startRealApi();
});
afterAll(() => api[Symbol.asyncDispose]());

/** Returns what the list and the history must have in common. */
const shape = ({ id, content, timestamp }: Pick<TimelineItem, 'id' | 'content' | 'timestamp'>) => ({
  id,
  content,
  timestamp,
});

/** Opens a session with two people who talk in it. */
async function openWorld(of: RealApi) {
  await using stack = new AsyncDisposableStack();
  const { client: ada } = await newPerson(of, 'ada');
  const { client: ben, email } = await newPerson(of, 'ben');
  const { id: projectId } = await ada.projects.create({ name: 'First' });
  await ada.members.add(projectId, { email });
  const { id: sessionId } = await ada.sessions.create(projectId, { name: 'Hello' });
  const talks = [ada, ben].map((client) => client.conversation(sessionId, { room: nodeRoom() }));
  for (const talk of talks) stack.use(talk);
  await Promise.all(talks.map((talk) => talk.open()));
  const owned = stack.move();
  return { ada, sessionId, talks, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

const isSaid = ({ role }: TimelineItem) => role !== 'system';
const messagesOf = (talk: Conversation) => talk.timeline.getSnapshot().items.filter(isSaid);
const completeOf = (talk: Conversation) =>
  messagesOf(talk).filter(({ state }) => state === 'complete').length;
const connectionOf = (talk: Conversation) => talk.timeline.getSnapshot().connection;

test('a message in a room without a recorder is in the history, once, under its number', async () => {
  await using world = await openWorld(api);
  const { ada, sessionId, talks } = world;
  const [first, second] = talks;
  await expect.poll(() => talks.map(connectionOf)).toEqual(['live', 'live']);
  const id = await first?.say('Hello');
  await expect
    .poll(() => second && messagesOf(second))
    .toMatchObject([{ id, state: 'unconfirmed' }]);
  await expect
    .poll(() => talks.map(messagesOf))
    .toMatchObject([[{ id, state: 'complete' }], [{ id, state: 'complete' }]]);
  const metadata = { seq: { n: 1 } };
  expect(await ada.messages.list(sessionId)).toMatchObject({
    items: [{ id, content: 'Hello', metadata }],
  });
});

test('two people and an agent talk: both clients have the ids, texts and times of the history', async () => {
  await using _ = await api.startRecorder();
  await using world = await openWorld(api);
  const { ada, sessionId, talks } = world;
  const agent = await ada.agents.start(sessionId, { role: 'echo-agent' });
  await ada.agents.untilRunning(agent.id);
  await expect.poll(() => talks.map(connectionOf)).toEqual(['live', 'live']);
  const ids: string[] = [];
  for (let round = 0; round < 5; round += 1) {
    for (const talk of talks) ids.push(await talk.say(`round ${round}`));
  }
  await expect.poll(() => talks.map(completeOf)).toEqual([20, 20]);
  expect(talks.map((talk) => messagesOf(talk).length)).toEqual([20, 20]);
  const history = await ada.messages.list(sessionId, { limit: 100 });
  const stored = history.items.toReversed().filter(({ role }) => role !== 'system');
  for (const talk of talks) expect(messagesOf(talk).map(shape)).toEqual(stored.map(shape));
  expect(stored.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
});

test('no message is lost or doubled while the media server is killed and restarted', async () => {
  await using media = await startMediaServer();
  await using ownApi = await startRealApi(media);
  await ownApi.startRecorder();
  await using world = await openWorld(ownApi);
  const { ada, sessionId, talks } = world;
  await expect.poll(() => talks.map(connectionOf)).toEqual(['live', 'live']);
  const ids: string[] = [];
  const sayAll = async (text: string) => {
    for (const talk of talks) ids.push(await talk.say(text));
  };
  await sayAll('before');
  await media.kill();
  await sayAll('while it is gone');
  await media.start();
  await sayAll('when it has just come back');
  await expect.poll(() => talks.map(completeOf)).toEqual([6, 6]);
  expect(talks.map((talk) => messagesOf(talk).length)).toEqual([6, 6]);
  const { items } = await ada.messages.list(sessionId, { limit: 100 });
  const stored = items.filter(({ role }) => role !== 'system').map(({ id }) => id);
  expect(stored.toSorted()).toEqual(ids.toSorted());
  await expect.poll(() => talks.map(connectionOf)).toEqual(['live', 'live']);
  await sayAll('afterwards');
  await expect.poll(() => talks.map((talk) => messagesOf(talk).length)).toEqual([8, 8]);
});

test('the mark of an interrupted answer is seen when its stream ends, before the history has it', async () => {
  await using world = await openWorld(api);
  const { sessionId: room, talks } = world;
  const [talk] = talks;
  if (!talk) throw new Error('nobody talks');
  await expect.poll(() => connectionOf(talk)).toBe('live');
  const media = testMedia();
  const agent = { room, role: 'tester', agentId: randomUUID() };
  const { token } = await agentToken(media, agent);
  await using joined = await joinRoom({ url: media.url, token });
  const text = await joined.openText(TRANSCRIPTION_TOPIC);
  await text.write('Let me exp');
  await text.end({ [INTERRUPTED_ATTRIBUTE]: 'true' });
  await expect
    .poll(() => messagesOf(talk))
    .toMatchObject([
      { content: 'Let me exp', state: 'unconfirmed', metadata: { interrupted: true } },
    ]);
});
