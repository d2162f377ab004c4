import { Room, RoomEvent } from '@livekit/rtc-node';
import { appendMessages, endInterval } from '@session/db';
import { expect, vi } from 'vitest';
import { FAST, type TestStage, until } from '../../testing/stage.ts';
import { test } from '../../testing/stage-test.ts';
import { queriesOn } from '../queries.ts';

/** Says `hello`, for which the database does not answer until the interval ends. `room` is the recorder's own. */
async function sayHello(stage: TestStage) {
  using connects = vi.spyOn(Room.prototype, 'connect');
  const storing = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<{ id: string; atMs: number }>();
  const real = queriesOn(stage.database);
  const counts = { rounds: 0 };
  const intervalsOf = new Map<string, string | undefined>();
  await stage.record({
    // The words stay with the database, whose answer is late, and do not go to the spool.
    timing: { ...FAST, spoolMs: 60_000, pollMs: 5 },
    queries: {
      async appendMessages(batch, options) {
        for (const { content, intervalId } of batch) intervalsOf.set(content, intervalId);
        if (intervalsOf.has('hello')) {
          storing.resolve();
          await ended.promise;
        }
        return await appendMessages(stage.database, batch, options);
      },
      async endInterval(interval) {
        ended.resolve({ id: interval.id, atMs: performance.now() });
        await endInterval(stage.database, interval);
      },
      async listSlots(...own) {
        counts.rounds += 1;
        return await real.listSlots(...own);
      },
    },
  });
  const sessionId = await stage.recordedSession();
  const [room] = connects.mock.contexts;
  if (!(room instanceof Room)) throw new Error('the recorder has not connected');
  const ana = await stage.join(sessionId);
  await ana.say('hello');
  await storing.promise;
  return { sessionId, room, ana, counts, intervalsOf, ended: ended.promise };
}

test('a connection that breaks keeps its interval open while its words are being stored, for at most 100 ms', async ({
  stage,
}) => {
  const { sessionId, room, ended } = await sayHello(stage);
  const brokenAtMs = performance.now();
  room.emit(RoomEvent.Reconnecting);
  expect((await ended).atMs - brokenAtMs).toBeGreaterThanOrEqual(99);
  await stage.historyWith(sessionId, ({ content }) => content === 'hello');
});

test('a recorder whose connection breaks does not lead again while its interval is still open', async ({
  stage,
}) => {
  const { sessionId, room, ana, counts, intervalsOf, ended } = await sayHello(stage);
  const [sender] = room.remoteParticipants.values();
  const { rounds } = counts;
  room.emit(RoomEvent.Reconnecting);
  await until(() => counts.rounds > rounds + 1);
  const packet = JSON.stringify({ type: 'user_text', data: 'without an id' });
  room.emit(RoomEvent.DataReceived, Buffer.from(packet), sender);
  const { id } = await ended;
  await until(async () => (await stage.countIntervals(sessionId)) === 2);
  await ana.say('goodbye');
  await stage.historyWith(sessionId, ({ content }) => content === 'goodbye');
  expect(intervalsOf.get('without an id')).not.toBe(id);
});
