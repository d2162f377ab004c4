import type { LocalParticipant } from '@livekit/rtc-node';
import { openRoomService } from '@session/media';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { addTestLeader, makeDead } from '../../testing/leader.ts';
import { type TestStage, until } from '../../testing/stage.ts';
import { test } from '../../testing/stage-test.ts';
import { queriesOn } from '../queries.ts';

/** Sends a message without an id: of the recorders that receive it, only the leader stores it. */
async function sayWithoutRawId(speaker: LocalParticipant, data: string): Promise<void> {
  const packet = new TextEncoder().encode(JSON.stringify({ type: 'user_text', data }));
  await speaker.publishData(packet, { reliable: true });
}

/** Resolves when `count` recorders have reported that they keep messages for another recorder to store. */
async function untilKept({ database }: TestStage, count: number): Promise<void> {
  const kept = () => database.sql`select 1 from recorders where standby_at is not null`;
  await until(async () => (await kept()).length === count);
}

test.for(['stops', 'is cut off'])(
  'the kept messages of a standby that %s do not count as covered by it',
  async (how, { stage }) => {
    const sessionId = await stage.createSession({ isNotified: false });
    await addTestLeader(stage, sessionId);
    const recorderId = uuidv7();
    const standby = await stage.record({ recorderId });
    await stage.untilRecording(sessionId);
    const speaker = await stage.joinAsForeigner(sessionId);
    await speaker.setAttributes({ known: 'by now' });
    await sayWithoutRawId(speaker, 'one');
    await untilKept(stage, 1);
    const keptAt = Date.now();
    if (how === 'stops') await standby.stop(AbortSignal.abort());
    else await openRoomService(stage.media).removeParticipant(sessionId, `recorder-${recorderId}`);
    const coveredUntil = await until(async () => {
      const [row] = await stage.database.sql<{ at: string }[]>`
        select to_at as at from recording_intervals
        where recorder_id = ${recorderId} and to_at is not null order by opened_at, to_at`;
      return row ? Date.parse(row.at) : false;
    });
    expect(coveredUntil).toBeLessThan(keptAt);
  },
);

test('two of three recorders die one after the other, before either has stored a kept message: the third stores it', async ({
  stage,
}) => {
  const sessionId = await stage.createSession({ isNotified: false });
  const { recorderId: first, flushed } = await addTestLeader(stage, sessionId);
  const second = uuidv7();
  const real = queriesOn(stage.database);
  const leads = Promise.withResolvers<void>();
  const isOver = Promise.withResolvers<never>();
  let isSilent = false;
  let beat: Promise<unknown> = Promise.resolve();
  await stage.record({
    recorderId: second,
    config: { redundancy: 3 },
    queries: {
      async updateHeartbeat(heartbeat) {
        if (isSilent) {
          const databaseNow = Date.now();
          return {
            isReplaced: false,
            webhooksSeen: false,
            otherRecorders: 0,
            hasErasures: false,
            databaseNow,
          };
        }
        const beating = real.updateHeartbeat(heartbeat);
        beat = beating;
        return await beating;
      },
      listMessagesWithoutRawId() {
        leads.resolve();
        return isOver.promise;
      },
    },
  });
  await until(async () => (await stage.countIntervals(sessionId)) === 2);
  let rounds = 0;
  await stage.record({
    config: { redundancy: 3 },
    queries: {
      listSlots(...own) {
        rounds += 1;
        return real.listSlots(...own);
      },
    },
  });
  await until(async () => (await stage.countIntervals(sessionId)) === 3);
  const speaker = await stage.joinAsForeigner(sessionId);
  await speaker.setAttributes({ known: 'by now' });
  await flushed(Date.now());
  await sayWithoutRawId(speaker, 'one');
  await untilKept(stage, 2);

  await makeDead(stage, first);
  await leads.promise;
  isSilent = true;
  await beat;
  // As if half a minute had passed and the leader had stored everything that was received before.
  await stage.database.sql`
    update recorders set flushed_at = now() + interval '30 s' where id = ${second}`;
  const before = rounds;
  await until(() => rounds > before + 2);
  await makeDead(stage, second);
  await stage.historyWith(sessionId, ({ content }) => content === 'one');
  expect((await stage.gaps(sessionId)).reported).toEqual([]);
  isOver.reject(new Error('the test is over'));
});
