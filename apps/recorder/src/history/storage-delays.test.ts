import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { openTestHistoryWriter, textMessage } from '../../testing/history-writer.ts';
import { StorageDelays } from './storage-delays.ts';

const message = (sessionId: string) => ({ ...textMessage(sessionId, 'x'), receivedAt: 1000 });

test('a message counts once, when it is stored, with the time since its receipt by the recorder’s clock', async () => {
  const [stored, locked] = [uuidv7(), uuidv7()];
  let [isLocked, nowMs] = [true, 3000];
  await using opened = await openTestHistoryWriter({
    clock: { now: () => nowMs },
    queries: {
      async appendMessages(batch) {
        const lockedSessions = isLocked ? [locked] : [];
        const none = { conflicts: 0, ignored: [], intruded: 0, gaps: [] };
        return { sessions: 1, stored: batch.length, lockedSessions, ...none };
      },
    },
  });
  const { writer } = opened;
  writer.push(message(stored));
  writer.push(message(locked));
  const figures = async () => {
    const { values } = await writer.storageDelays.get();
    const named = (suffix: string) =>
      values.find(({ metricName }) => metricName?.endsWith(suffix))?.value;
    return { count: named('_count'), sum: named('_sum') };
  };
  await expect.poll(figures).toEqual({ count: 1, sum: 2 });
  [isLocked, nowMs] = [false, 8000];
  await expect.poll(figures).toEqual({ count: 2, sum: 9 });
});

test('no message counts with less than nothing when the clock was set back', async () => {
  const delays = new StorageDelays({ now: () => 1000 });
  delays.stored([{ sessionId: 's', receivedAt: 5000 }], new Set());
  const { values } = await delays.metric.get();
  expect(values.find(({ metricName }) => metricName?.endsWith('_sum'))?.value).toBe(0);
});
