import { Room } from '@livekit/rtc-node';
import { type AppendedMessages, appendMessages, insertAgent, updateAgentState } from '@session/db';
import {
  agentToken,
  type JoinedRoom,
  joinRoom,
  openRoomService,
  releaseRoom,
} from '@session/media';
import { testMedia } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { FAST, type TestStage, until } from '../../testing/stage.ts';
import { test } from '../../testing/stage-test.ts';

const ROLE = 'echo-agent';

/** Records a session with an agent on the stage, and counts what the database drops. */
async function openSession(stage: TestStage, replaced: Parameters<TestStage['record']>[0] = {}) {
  const results: AppendedMessages[] = [];
  await stage.record({
    ...replaced,
    queries: {
      async appendMessages(...batch) {
        const result = await appendMessages(stage.database, ...batch);
        results.push(result);
        return result;
      },
    },
  });
  const room = await stage.recordedSession();
  const agentId = uuidv7();
  const row = { planId: null, envTemplateId: null, config: {}, createdBy: uuidv7() };
  await insertAgent(stage.database, { id: agentId, sessionId: room, role: ROLE, ...row });
  const { token } = await agentToken(stage.media, { room, role: ROLE, agentId });
  return {
    room,
    token,
    /** Joins as the agent, and waits until the recorder sees it, because earlier messages may have no sender. */
    join: async () => {
      const joined = await joinRoom({ url: stage.media.url, token });
      await stage.historyWith(room, ({ content }) => content === `${ROLE} joined`);
      return joined;
    },
    stop: async () => {
      const end = { reason: 'requested', detail: null, exitCode: 0 };
      await updateAgentState(stage.database, agentId, { status: 'Stopped', ...end });
    },
    dropped: () => results.reduce((sum, { intruded }) => sum + intruded, 0),
    words: async () =>
      (await stage.history(room)).flatMap(({ kind, content }) =>
        kind === 'text' || kind === 'transcript' ? content : [],
      ),
  };
}

/** Publishes a track of Ana, and returns the attribute of its transcripts. */
async function trackOf(
  { media }: TestStage,
  room: string,
  ana: JoinedRoom,
): Promise<Record<string, string>> {
  await ana.openVoice(16_000);
  const rooms = openRoomService(media);
  return await until(async () => {
    const listed = await rooms.listParticipants(room);
    const sid = listed.find(({ identity }) => identity === ana.identity)?.trackSids[0];
    return sid !== undefined && { 'lk.transcribed_track_id': sid };
  });
}

test('whoever joins with the token of a Stopped agent says nothing that is stored; the join and the leave are', async ({
  stage,
}) => {
  const { room, join, stop, dropped, words } = await openSession(stage);
  const ana = await stage.join(room);
  await stop();
  const intruder = await join();
  const ofTrack = await trackOf(stage, room, ana);
  const oath = 'I, the user, agree to pay';
  await intruder.sendTextOf(ana.identity, 'lk.transcription', oath, ofTrack);
  await intruder.sendTextOf(ana.identity, 'lk.chat', oath);
  await intruder.say(oath);
  await intruder.sendPacket({ type: 'complete_todo_list', steps: [] });
  for (const topic of ['lk.chat', 'lk.transcription']) {
    await intruder.sendText(topic, 'I, the agent, agree to pay');
  }
  await expect.poll(dropped).toBe(6);
  await ana.say('I say no');
  await intruder.leave();
  const left = `${ROLE} left`;
  const history = await stage.historyWith(room, ({ content }) => content === left);
  expect(history.map(({ content }) => content)).toEqual([
    'Ana joined',
    `${ROLE} joined`,
    'I say no',
    left,
  ]);
  expect(await words()).toEqual(['I say no']);
});

test('a transcript of a person whom a live agent hears is kept as nobody’s words while such an intruder is in the room', async ({
  stage,
}) => {
  const { room, join, stop, words } = await openSession(stage);
  const [ana, live] = [await stage.join(room), await stage.joinAsAgent(room)];
  await stop();
  const intruder = await join();
  await live.sendTextOf(
    ana.identity,
    'lk.transcription',
    'I say no',
    await trackOf(stage, room, ana),
  );
  await expect.poll(words).toEqual(['I say no']);
  const history = await stage.history(room);
  expect(history.find(({ content }) => content === 'I say no')).toMatchObject({ role: 'system' });
  await intruder.leave();
});

test('whoever uses LiveKit’s SDK alone, and sends before anybody is told of the join, is no exception', async ({
  stage,
}) => {
  const { token, stop, dropped, words } = await openSession(stage);
  await stop();
  const intruder = new Room();
  await intruder.connect(stage.media.url, token, { autoSubscribe: false, dynacast: false });
  const packet = { type: 'user_text', data: 'I, the user, agree to pay' };
  const payload = new TextEncoder().encode(JSON.stringify(packet));
  await intruder.localParticipant?.publishData(payload, { reliable: true });
  await intruder.localParticipant?.sendText('I agree to pay', { topic: 'lk.chat' });
  await expect.poll(dropped).toBe(2);
  expect(await words()).toEqual([]);
  await releaseRoom(intruder);
});

test.for([
  ['the media server does not say who is in the room', () => Promise.reject(new Error('away'))],
  ['the intruder has left before the media server is asked', async () => []],
] as const)(
  'what may be of a Stopped agent is nobody’s, and no person’s, when %s',
  async ([, answer], { stage }) => {
    const rooms = openRoomService(testMedia());
    let isUsual = true;
    const listParticipants = (room: string) => (isUsual ? rooms.listParticipants(room) : answer());
    const { room, token, stop } = await openSession(stage, {
      rooms: { ...rooms, listParticipants },
      timing: { ...FAST, senderMs: 200 },
    });
    await stop();
    isUsual = false;
    const intruder = new Room();
    await intruder.connect(stage.media.url, token, { autoSubscribe: false, dynacast: false });
    const oath = 'I, the user, agree to pay';
    const packet = { type: 'user_text', data: oath, id: uuidv7() };
    const payload = new TextEncoder().encode(JSON.stringify(packet));
    await intruder.localParticipant?.publishData(payload, { reliable: true });
    const history = await stage.historyWith(room, ({ content }) => content === oath);
    const stored = history.find(({ content }) => content === oath);
    expect(stored).toMatchObject({ role: 'system', metadata: { participant: null } });
    await releaseRoom(intruder);
  },
);

test('the last words of an agent are stored that the recorder gets after its end', async ({
  stage,
}) => {
  const { join, stop, words, dropped } = await openSession(stage);
  const agent = await join();
  await agent.say('I go');
  const text = await agent.openText('lk.transcription');
  await text.write('and I');
  await expect.poll(words).toContain('I go');
  await stop();
  await text.write(' say good-bye');
  await text.end();
  await agent.sendText('lk.chat', 'bye');
  await agent.leave();
  await expect.poll(words).toEqual(['I go', 'and I say good-bye', 'bye']);
  expect(dropped()).toBe(0);
});
