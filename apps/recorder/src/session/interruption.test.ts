import { appendMessages, endInterval } from '@session/db';
import { openRoomService } from '@session/media';
import { expect } from 'vitest';
import { FAST } from '../../testing/stage.ts';
import { test } from '../../testing/stage-test.ts';

test('a connection that breaks keeps its interval open while its words are being stored, for at most 100 ms', async ({
  stage,
}) => {
  const storing = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<number>();
  const recorder = await stage.record({
    // The words stay with the database, whose answer is late, and do not go to the spool.
    timing: { ...FAST, spoolMs: 60_000 },
    queries: {
      async appendMessages(batch, options) {
        if (batch.some(({ content }) => content === 'hello')) {
          storing.resolve();
          await ended.promise;
        }
        return await appendMessages(stage.database, batch, options);
      },
      async endInterval(interval) {
        ended.resolve(performance.now());
        await endInterval(stage.database, interval);
      },
    },
  });
  const { recorderId } = recorder.health();
  const sessionId = await stage.recordedSession();
  const ana = await stage.join(sessionId);
  await ana.say('hello');
  await storing.promise;
  const brokenAt = performance.now();
  await openRoomService(stage.media).removeParticipant(sessionId, `recorder-${recorderId}`);
  expect((await ended.promise) - brokenAt).toBeGreaterThanOrEqual(99);
  await stage.historyWith(sessionId, ({ content }) => content === 'hello');
});
