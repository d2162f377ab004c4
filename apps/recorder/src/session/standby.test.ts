import type { LocalParticipant } from '@livekit/rtc-node';
import { prepareRecorderQueries, prepareSlotQueries } from '@session/db';
import { openRoomService } from '@session/media';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { die, hearFirst } from '../../testing/test-leader.ts';
import { TestStage, until } from '../../testing/test-stage.ts';

/** Says something without an id: of those who hear it only the first recorder stores it. */
async function sayUnnamed(speaker: LocalParticipant, data: string): Promise<void> {
  const packet = new TextEncoder().encode(JSON.stringify({ type: 'user_text', data }));
  await speaker.publishData(packet, { reliable: true });
}

/** Resolves when so many recorders have told the database that they keep something for another to store. */
async function untilKept({ database }: TestStage, count: number): Promise<void> {
  const kept = () => database.sql`select 1 from recorders where standby_at is not null`;
  await until(async () => (await kept()).length === count);
}

test.each(['stops', 'is cut off'])(
  'of a recorder that %s nobody is told that it has heard what it kept for the first one',
  async (how) => {
    await using stage = await TestStage.open();
    const sessionId = await stage.createSession({ isTold: false });
    await hearFirst(stage, sessionId);
    const recorderId = uuidv7();
    const second = await stage.record({ recorderId });
    await stage.untilRecording(sessionId);
    const speaker = await stage.joinAsForeigner(sessionId);
    await speaker.setAttributes({ known: 'by now' });
    await sayUnnamed(speaker, 'one');
    await untilKept(stage, 1);
    const keptAt = Date.now();
    if (how === 'stops') await second.stop(AbortSignal.abort());
    else await openRoomService(stage.media).removeParticipant(sessionId, `recorder-${recorderId}`);
    const heardUntil = await until(async () => {
      const [row] = await stage.database.sql<{ at: string }[]>`
        select to_at as at from recording_intervals
        where recorder_id = ${recorderId} and to_at is not null order by opened_at, to_at`;
      return row ? Date.parse(row.at) : false;
    });
    expect(heardUntil).toBeLessThan(keptAt);
  },
);

test('two of three die one after the other, neither has stored what both kept: the third does', async () => {
  await using stage = await TestStage.open();
  const sessionId = await stage.createSession({ isTold: false });
  const { recorderId: first, flushed } = await hearFirst(stage, sessionId);
  const second = uuidv7();
  const real = {
    ...prepareRecorderQueries(stage.database),
    ...prepareSlotQueries(stage.database),
  };
  const leads = Promise.withResolvers<void>();
  const isOver = Promise.withResolvers<never>();
  let isSilent = false;
  let beat: Promise<unknown> = Promise.resolve();
  await stage.record({
    recorderId: second,
    config: { redundancy: 3 },
    queries: {
      async updateHeartbeat(heartbeat) {
        if (isSilent) return true;
        const beating = real.updateHeartbeat(heartbeat);
        beat = beating;
        return await beating;
      },
      listMessagesWithoutId() {
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
  await sayUnnamed(speaker, 'one');
  await untilKept(stage, 2);

  await die(stage, first);
  await leads.promise;
  isSilent = true;
  await beat;
  // As if it had come to this half a minute later: what was received so long before is stored by the first, if it is one.
  await stage.database.sql`
    update recorders set flushed_at = now() + interval '30 s' where id = ${second}`;
  const before = rounds;
  await until(() => rounds > before + 2);
  await die(stage, second);
  await stage.historyWith(sessionId, ({ content }) => content === 'one');
  expect((await stage.gaps(sessionId)).told).toEqual([]);
  isOver.reject(new Error('the test is over'));
});
