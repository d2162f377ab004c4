import type { LocalParticipant } from '@livekit/rtc-node';
import { encodePacket } from '@session/contract/room';
import { expect } from 'vitest';
import { type TestStage, until } from '../../testing/stage.ts';
import { test } from '../../testing/stage-test.ts';
import { queriesOn } from '../queries.ts';

const REFUSED = Object.assign(new Error('refused'), { code: '23514' });

test('what the leader alone stores, and the database refuses, is a gap, although a standby was in the room', async ({
  stage,
}) => {
  const redundant = { config: { redundancy: 2 }, queries: refusing(stage, 'odd') };
  const sessionId = await stage.createSession({ isNotified: false });
  await stage.record(redundant);
  await stage.record(redundant);
  await until(async () => (await stage.countIntervals(sessionId)) === 2);
  const speaker = await stage.joinAsForeigner(sessionId);
  await speaker.setAttributes({ known: 'by now' });
  await sayWithoutRawId(speaker, 'odd');
  const { reported, left } = await untilGap(stage, sessionId);
  expect(reported).toMatchObject([{ reason: 'refused' }]);
  expect(reported).toEqual(left);
});

/** Queries on the stage's database, which refuses each message of these words. */
function refusing({ database }: TestStage, words: string) {
  const { appendMessages } = queriesOn(database);
  return {
    appendMessages: async (...[batch, options]: Parameters<typeof appendMessages>) => {
      if (batch.some(({ content }) => content === words)) throw REFUSED;
      return await appendMessages(batch, options);
    },
  };
}

/** Sends a message without an id: of the recorders that receive it, only the leader stores it. */
async function sayWithoutRawId(speaker: LocalParticipant, data: string): Promise<void> {
  await speaker.publishData(encodePacket({ type: 'user_text', data }), { reliable: true });
}

/** Returns the session's gaps as soon as one is reported. */
async function untilGap(stage: TestStage, sessionId: string) {
  return await until(async () => {
    const gaps = await stage.gaps(sessionId);
    return gaps.reported.length > 0 && gaps;
  });
}
