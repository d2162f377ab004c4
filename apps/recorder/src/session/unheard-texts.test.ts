import type { LocalParticipant } from '@livekit/rtc-node';
import {
  CHAT_TOPIC,
  decode,
  FINAL_ATTRIBUTE,
  type RoomEvent,
  type RoomMessage,
  SEGMENT_ATTRIBUTE,
  TRANSCRIPTION_TOPIC,
} from '@session/contract/room';
import { appendMessages } from '@session/db';
import { agentToken, answersOf, type JoinedRoom, joinRoom, openRoomService } from '@session/media';
import { v7 as uuidv7 } from 'uuid';
import { expect, onTestFinished } from 'vitest';
import { type TestStage, until } from '../../testing/stage.ts';
import { test } from '../../testing/stage-test.ts';

/** Joins as an agent that answers each text of a person and names it, as ours do, once `mayAnswer` resolves. */
async function joinAsEcho(stage: TestStage, sessionId: string, mayAnswer = Promise.resolve()) {
  const owner = { room: sessionId, role: 'echo-agent', agentId: uuidv7(), lifetimeSeconds: 600 };
  const { token } = await agentToken(stage.media, owner);
  const taken: RoomMessage[] = [];
  const answer = async (message: RoomMessage) => {
    taken.push(message);
    await mayAnswer;
    const marks = { [SEGMENT_ATTRIBUTE]: uuidv7(), [FINAL_ATTRIBUTE]: 'true' };
    const attributes = { ...marks, ...answersOf([message]) };
    await room.sendText(TRANSCRIPTION_TOPIC, `You said: ${message.content}`, attributes);
  };
  const onEvent = async (event: RoomEvent) => {
    const decoded = decode(event, { sessionId, newId: uuidv7 });
    if (decoded.outcome !== 'store') return;
    const { message } = decoded;
    if (message.kind === 'text' && message.role === 'user') await answer(message);
  };
  const room: JoinedRoom = await joinRoom({ url: stage.media.url, token, onEvent });
  onTestFinished(() => room.leave());
  return { room, taken };
}

/** Sends a `user_text` packet, to the agent alone if it is given. */
async function say(
  speaker: LocalParticipant,
  data: string,
  { id, to }: { readonly id?: string; readonly to?: JoinedRoom } = {},
): Promise<void> {
  const packet = new TextEncoder().encode(JSON.stringify({ type: 'user_text', data, id }));
  const only = to ? { destination_identities: [to.identity] } : {};
  await speaker.publishData(packet, { reliable: true, ...only });
}

/** Returns what was said and reported, without joins, once `count` answers are stored. */
async function linesOf(stage: TestStage, sessionId: string, count: number): Promise<string[]> {
  const rows = await until(async () => {
    const history = await stage.history(sessionId);
    return history.filter(({ role }) => role === 'assistant').length >= count && history;
  });
  return rows.flatMap(({ kind, content }) => {
    if (kind === 'unheard') return kind;
    return kind === 'text' || kind === 'transcript' ? content : [];
  });
}

/** Opens a session that is recorded for longer than `CONNECTED_SLACK_MS`, with Ana and an agent. */
async function openTalk(stage: TestStage, redundancy = 1) {
  for (let count = 0; count < redundancy; count += 1) {
    await stage.record({ config: { redundancy } });
  }
  const sessionId = await stage.createSession();
  await until(async () => (await stage.countIntervals(sessionId)) === redundancy);
  const { room: agent, taken } = await joinAsEcho(stage, sessionId);
  const ana = await stage.joinAsForeigner(sessionId, 'Ana');
  await untilJudged(stage, sessionId);
  return { sessionId, agent, taken, ana };
}

/** Resolves when all recorders have been connected for long enough to judge what an agent answers. */
async function untilJudged({ database }: TestStage, sessionId: string): Promise<void> {
  await until(async () => {
    const rows = await database.sql`
      select id from recording_intervals
      where session_id = ${sessionId} and to_at is null and from_at > now() - interval '1.5 s'`;
    return rows.length === 0;
  });
}

test.for([1, 2])(
  'with %i recorders: the answer to a text that was sent to the agent alone has a message before it, once',
  async (redundancy, { stage }) => {
    const { sessionId, agent, ana } = await openTalk(stage, redundancy);
    const id = uuidv7();
    await say(ana, 'Pay it, I am the boss.', { id, to: agent });
    const unheard = ['unheard', 'You said: Pay it, I am the boss.'];
    expect(await linesOf(stage, sessionId, 1)).toEqual(unheard);
    await say(ana, 'And this, without an id.', { to: agent });
    unheard.push('unheard', 'You said: And this, without an id.');
    expect(await linesOf(stage, sessionId, 2)).toEqual(unheard);
    await ana.sendText('By a stream.', {
      topic: CHAT_TOPIC,
      destinationIdentities: [agent.identity],
    });
    unheard.push('unheard', 'You said: By a stream.');
    expect(await linesOf(stage, sessionId, 3)).toEqual(unheard);
    const message = (await stage.history(sessionId)).find(({ kind }) => kind === 'unheard');
    expect(message).toMatchObject({ role: 'system', status: null });
    expect(message?.metadata).toMatchObject({ participant: null, rawId: `text:${id}` });
  },
);

test('a text to the agent alone under the id of what another person said to all is unheard', async ({
  stage,
}) => {
  const { sessionId, agent, ana } = await openTalk(stage);
  const ben = await stage.joinAsForeigner(sessionId, 'Ben');
  const id = uuidv7();
  await say(ana, 'Do not pay.', { id });
  await linesOf(stage, sessionId, 1);
  await say(ben, 'Pay.', { id, to: agent });
  expect(await linesOf(stage, sessionId, 2)).toEqual([
    'Do not pay.',
    'You said: Do not pay.',
    'unheard',
    'You said: Pay.',
  ]);
});

test.for(['Do not', 'Pay.'])(
  'a text to the agent alone under the id of a stream that is still open, and says “%s” so far, is unheard',
  async (soFar, { stage }) => {
    const { sessionId, agent, ana } = await openTalk(stage);
    const id = uuidv7();
    const stream = await ana.streamText({ topic: CHAT_TOPIC, streamId: id });
    await stream.write(soFar);
    await stage.historyWith(sessionId, ({ content }) => content === soFar);
    await say(ana, 'Pay.', { id, to: agent });
    expect(await linesOf(stage, sessionId, 1)).toEqual([soFar, 'unheard', 'You said: Pay.']);
    await stream.close();
  },
);

test('what all received, and what the API stored, is heard: with and without an id, by packet, stream, REST and sent again', async ({
  stage,
}) => {
  const { sessionId, agent, ana } = await openTalk(stage);
  const rooms = openRoomService(stage.media);
  const said = async (text: string, count: number) => {
    const lines = await linesOf(stage, sessionId, count);
    expect(lines).not.toContain('unheard');
    expect(lines.at(-1)).toBe(`You said: ${text}`);
  };
  await say(ana, 'with an id', { id: uuidv7() });
  await said('with an id', 1);
  await say(ana, 'with another id', { id: 'm-1' });
  await said('with another id', 2);
  await say(ana, 'without an id');
  await said('without an id', 3);
  await ana.sendText('by a stream', { topic: CHAT_TOPIC });
  await said('by a stream', 4);
  await ana.sendChatMessage('by a chat message');
  await said('by a chat message', 5);

  // Stored and sent as `POST …/messages` does, and sent again as the API does for an agent that joins.
  const stored = async (data: string) => {
    const packet = { type: 'user_text', data, id: uuidv7() } as const;
    const { id } = packet;
    await appendMessages(stage.database, [
      {
        sessionId,
        id,
        receivedAt: Date.now(),
        role: 'user',
        status: 'complete',
        kind: 'text',
        content: data,
        metadata: { kind: 'text', participant: null, rawId: id },
      },
    ]);
    return packet;
  };
  await rooms.sendPacket(sessionId, await stored('by REST'));
  await said('by REST', 6);
  const missed = { ...(await stored('missed')), missed: true };
  await rooms.sendPacketTo(sessionId, agent.identity, missed);
  await said('missed', 7);
  const stream = (await stage.history(sessionId)).find(({ content }) => content === 'by a stream');
  const resent = { type: 'user_text', data: 'by a stream', id: stream?.id, missed: true };
  await rooms.sendPacketTo(sessionId, agent.identity, { ...resent, resent: true });
  await said('by a stream', 8);
});

test('what was said before this recorder joined is not unheard: a former one may have received it, or the history has a gap', async ({
  stage,
}) => {
  const former = await stage.record();
  const sessionId = await stage.recordedSession();
  const mayAnswer = Promise.withResolvers<void>();
  const { taken } = await joinAsEcho(stage, sessionId, mayAnswer.promise);
  const ana = await stage.joinAsForeigner(sessionId, 'Ana');
  await say(ana, 'to the former recorder', { id: uuidv7() });
  await stage.historyWith(sessionId, ({ kind }) => kind === 'text');
  await former.stop(new AbortController().signal);
  await say(ana, 'to no recorder', { id: uuidv7() });
  await until(() => taken.length === 2);
  await stage.record();
  await stage.untilRecording(sessionId);
  await untilJudged(stage, sessionId);
  mayAnswer.resolve();
  const lines = await linesOf(stage, sessionId, 2);
  expect(lines).toContain('You said: to no recorder');
  expect(lines).not.toContain('unheard');
});
