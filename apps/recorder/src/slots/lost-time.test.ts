import type { LocalParticipant } from '@livekit/rtc-node';
import { encodePacket } from '@session/contract/room';
import { classOfError } from '@session/db';
import { expect } from 'vitest';
import { FAST, type TestStage, until } from '../../testing/stage.ts';
import { test } from '../../testing/stage-test.ts';
import { queriesOn } from '../queries.ts';
import { cutLostTime } from './lost-time.ts';

const REFUSED = Object.assign(new Error('refused'), { code: '23514' });
const AWAY = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });

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

test('a message that is refused before its interval is stored leaves a gap in that interval', async ({
  stage,
}) => {
  const real = queriesOn(stage.database);
  let attempts = 0;
  let isCut = false;
  const recorder = await stage.record({
    timing: { ...FAST, overtakeMs: 100 },
    queries: {
      ...refusing(stage, 'odd', () => {
        attempts += 1;
      }),
      // Fails in the round for which the first report of the loss waits.
      async insertInterval(interval) {
        if (attempts < 2 && !isCut) throw AWAY;
        await real.insertInterval(interval);
      },
      async cutIntervals(cut) {
        isCut = true;
        await real.cutIntervals(cut);
      },
    },
  });
  const sessionId = await stage.createSession();
  await until(() => recorder.health().sessions['recording'] === 1);
  const ana = await stage.join(sessionId);
  await ana.say('odd');
  const { reported, left } = await untilGap(stage, sessionId);
  expect(reported).toMatchObject([{ reason: 'refused' }]);
  expect(reported).toEqual(left);
});

interface Facts {
  readonly isLeaderDead?: boolean;
  readonly isUnwritten?: boolean;
  readonly isDatabaseOk?: boolean;
}

/**
 * Cuts the time of a lost message that only the leader stores. Returns whose intervals were cut; null: those of all
 * recorders.
 */
async function cutLed({ isLeaderDead = false, isUnwritten = false, isDatabaseOk = true }: Facts) {
  const cuts: (string | null)[] = [];
  const queries = {
    isIntervalOfDead: async () => isLeaderDead,
    cutIntervals: async ({ recorderId }: { recorderId: string | null }) => {
      cuts.push(recorderId);
    },
  };
  const slots = { verify: async () => {}, hasUnwritten: () => isUnwritten, isDatabaseOk };
  const span = { receivedAt: 1, until: 2 };
  const led = { ...span, intervalId: 'interval' };
  const lost = { kind: 'loss', sessionId: 'session', ...span, count: 1, led } as const;
  await cutLostTime({ recorderId: 'own', queries, slots }, lost);
  return cuts;
}

test('what others store, because they have taken the leader for dead, stays in their intervals', async () => {
  expect(await cutLed({ isLeaderDead: true })).toEqual(['own']);
  expect(await cutLed({})).toEqual(['own', null]);
});

test('an interval that is not written delays its own session, or all sessions while the database is away', async () => {
  const locked = cutLed({ isUnwritten: true });
  expect(classOfError(await locked.catch((error: unknown) => error))).toBe('session');
  const away = cutLed({ isUnwritten: true, isDatabaseOk: false });
  expect(classOfError(await away.catch((error: unknown) => error))).toBe('away');
});

/** Queries on the stage's database, which refuses each message of these words. */
function refusing({ database }: TestStage, words: string, refusedAlone = () => {}) {
  const { appendMessages } = queriesOn(database);
  return {
    appendMessages: async (...[batch, options]: Parameters<typeof appendMessages>) => {
      if (batch.every(({ content }) => content !== words)) {
        return await appendMessages(batch, options);
      }
      if (batch.length === 1) refusedAlone();
      throw REFUSED;
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
