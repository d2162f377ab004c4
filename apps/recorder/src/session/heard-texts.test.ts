import { encodePacket, type TextStreamEvent } from '@session/contract/room';
import { answersOf } from '@session/media';
import { passTime, startVirtualTime } from '@session/testing/virtual-time';
import { v7 as uuidv7 } from 'uuid';
import { beforeEach, expect, test } from 'vitest';
import { textMessage } from '../../testing/history-writer.ts';
import { agent, ana } from '../../testing/session-events.ts';
import { HeardTexts } from './heard-texts.ts';

const { signal } = new AbortController();

beforeEach(() => startVirtualTime());

/** Returns the ids of the texts that are unheard, and how many milliseconds it took to find out, in virtual time. */
async function findUnheard(texts: HeardTexts, answer: TextStreamEvent) {
  const began = performance.now();
  const finding = texts
    .findUnheard(answer, signal)
    .then((ids) => ({ ids, tookMs: performance.now() - began }));
  await passTime(3000);
  return await finding;
}

/** Returns an answer of an agent that names 20 texts, and these texts' ids. */
function answerTo20() {
  const texts = Array.from({ length: 20 }, (_, number) => {
    const message = textMessage(uuidv7(), `text ${number}`);
    return { ...message, metadata: { ...message.metadata, rawId: message.id } };
  });
  const now = Date.now();
  const answer: TextStreamEvent = {
    type: 'text_stream',
    topic: 'lk.chat',
    streamId: 'S_1',
    beganAt: now,
    attributes: answersOf(texts, now),
    text: 'I answer',
    hasEnded: true,
    sentAt: null,
    sender: agent,
    receivedAt: now,
  };
  return { answer, ids: texts.map(({ id }) => id) };
}

function openTexts(storedCount: number, isTooFast: boolean) {
  const queries: number[] = [];
  const texts = new HeardTexts({
    sessionId: 's',
    queries: {
      async filterStoredTexts(_sessionId, sought) {
        queries.push(sought.length);
        return sought.slice(0, storedCount);
      },
    },
    floods: { isTooFast: () => isTooFast },
  });
  texts.connected(0);
  return { texts, queries };
}

test('20 texts that an answer names are one question to the database, and one more for those that it lacks', async () => {
  const { answer, ids } = answerTo20();
  const { texts, queries } = openTexts(18, false);
  expect((await findUnheard(texts, answer)).ids).toEqual([]);
  expect(queries).toEqual([20, 2]);
  const none = openTexts(0, false);
  // For two seconds, the texts may still be on their way to this recorder.
  expect(await findUnheard(none.texts, answer)).toEqual({ ids, tookMs: 2000 });
  expect(none.queries).toEqual([20, 20]);
});

test('an answer of a sender who exceeds its rate costs the database nothing', async () => {
  const { texts, queries } = openTexts(0, true);
  expect(await texts.findUnheard(answerTo20().answer, signal)).toEqual([]);
  expect(queries).toEqual([]);
});

test.each([
  [1999, 0],
  [2001, 1],
])('a text that comes %i ms after the answer that names it: %i unheard', async (lateMs, count) => {
  const { texts } = openTexts(0, false);
  const { answer, ids } = answerTo20();
  const note = (number: number) =>
    texts.note({
      type: 'packet',
      payload: encodePacket({ type: 'user_text', data: `text ${number}`, id: ids[number] ?? '' }),
      sender: ana,
      receivedAt: Date.now(),
    });
  for (let number = 1; number < 20; number += 1) note(number);
  setTimeout(() => note(0), lateMs);
  expect((await findUnheard(texts, answer)).ids).toEqual(ids.slice(0, count));
});
