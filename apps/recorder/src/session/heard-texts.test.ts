import type { TextStreamEvent } from '@session/contract/room';
import { answersOf } from '@session/media';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { textMessage } from '../../testing/history-writer.ts';
import { agent } from '../../testing/session-events.ts';
import { HeardTexts } from './heard-texts.ts';

const { signal } = new AbortController();

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
    lateMs: 0,
  });
  texts.connected(0);
  return { texts, queries };
}

test('20 texts that an answer names are one question to the database, and one more for those that it lacks', async () => {
  const { answer, ids } = answerTo20();
  const { texts, queries } = openTexts(18, false);
  expect(await texts.findUnheard(answer, signal)).toEqual([]);
  expect(queries).toEqual([20, 2]);
  const none = openTexts(0, false);
  expect(await none.texts.findUnheard(answer, signal)).toEqual(ids);
  expect(none.queries).toEqual([20, 20]);
});

test('an answer of a sender who exceeds its rate costs the database nothing', async () => {
  const { texts, queries } = openTexts(0, true);
  expect(await texts.findUnheard(answerTo20().answer, signal)).toEqual([]);
  expect(queries).toEqual([]);
});
