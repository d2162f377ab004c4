import { Room, type TextStreamReader } from '@livekit/rtc-node';
import { CHAT_TOPIC } from '@session/contract/room';
import { openRoomService, releaseRoom, roomOptions, userToken } from '@session/media';
import { delayTexts, untilArrived } from '@session/media/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { FAST, type TestStage } from '../../testing/stage.ts';
import { test } from '../../testing/stage-test.ts';

const ROUNDS = 5;

test('a text stream stands before the packet that answers it, however soon the answer comes', async ({
  stage,
}) => {
  await stage.record();
  const sessionId = await stage.recordedSession();
  const ana = await stage.join(sessionId);
  await using _ = await joinAsAnswerer(stage, sessionId);
  const expected: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const text = await ana.openText(CHAT_TOPIC);
    await text.write(`text ${round}`);
    await text.end();
    expected.push(`text ${round}`, `answer to text ${round}`);
    await stage.historyWith(sessionId, ({ content }) => content === expected.at(-1));
  }
  expect(await textsOf(stage, sessionId)).toEqual(expected);
});

test('an answer stands after its text also when the SDK reports the end of the text later than the answer', async ({
  stage,
}) => {
  await stage.record();
  const sessionId = await stage.recordedSession();
  const ana = await stage.join(sessionId);
  const ben = await stage.join(sessionId, 'Ben');
  using _ = delayTexts(50);
  const text = await ana.openText(CHAT_TOPIC);
  const arrived = untilArrived(text.streamId);
  await text.write('text');
  await text.end();
  await arrived;
  await ben.say('answer to text');
  await stage.historyWith(sessionId, ({ content }) => content === 'answer to text');
  expect(await textsOf(stage, sessionId)).toEqual(['text', 'answer to text']);
});

test('a text that never ends holds back what is said meanwhile for a short time only', async ({
  stage,
}) => {
  await stage.record({ timing: { ...FAST, checkpointMs: 600_000 } });
  const sessionId = await stage.recordedSession();
  const ana = await stage.join(sessionId);
  await using _ = await joinAsAnswerer(stage, sessionId);
  const endless = await ana.openText(CHAT_TOPIC);
  await endless.write('and so on');
  const text = await ana.openText(CHAT_TOPIC);
  await text.write('a question');
  await text.end();
  await stage.historyWith(sessionId, ({ content }) => content === 'answer to a question');
  expect(await textsOf(stage, sessionId)).toEqual(['a question', 'answer to a question']);
  await openRoomService(stage.media).removeParticipant(sessionId, ana.identity);
  await stage.historyWith(sessionId, ({ content }) => content === 'Ana left');
  const texts = ['a question', 'answer to a question', 'and so on'];
  expect(await textsOf(stage, sessionId)).toEqual(texts);
});

/**
 * Joins as Ben, who answers each typed text as soon as it ends, because LiveKit's own SDK reports its end without a
 * delay.
 */
async function joinAsAnswerer(stage: TestStage, sessionId: string): Promise<AsyncDisposable> {
  const ben = await stage.join(sessionId, 'Ben');
  const { token } = await userToken(stage.media, {
    room: sessionId,
    userId: uuidv7(),
    name: 'Ben',
  });
  const reader = new Room();
  const answer = async (stream: TextStreamReader) => {
    await ben.say(`answer to ${await stream.readAll()}`);
  };
  // Reading fails for a stream whose sender leaves before the end.
  reader.registerTextStreamHandler(CHAT_TOPIC, (stream) => void answer(stream).catch(() => {}));
  await reader.connect(stage.media.url, token, roomOptions());
  return { [Symbol.asyncDispose]: () => releaseRoom(reader) };
}

/** Returns the texts of the history. */
async function textsOf(stage: TestStage, sessionId: string): Promise<string[]> {
  const history = await stage.history(sessionId);
  return history.flatMap(({ kind, content }) => (kind === 'text' ? content : []));
}
