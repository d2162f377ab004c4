import { getEventListeners } from 'node:events';
import { passTime, startVirtualTime } from '@session/testing/virtual-time';
import { expect, test } from 'vitest';
import { textMessage } from '../../../testing/history-writer.ts';
import type { QueuedMessage, StoreResult } from '../../message-path.ts';
import { createLog } from '../../process/log.ts';
import { Lane } from './lane.ts';

const never = new AbortController().signal;
const LOCKED = Object.assign(new Error('locked'), { code: '55P03' });
const FAULTY = Object.assign(new Error('faulty'), { code: 'XX000' });

const STORED = { settledCount: 1, deferred: [], rest: [] };

function fails(batch: readonly QueuedMessage[], reason: Error): StoreResult {
  return { settledCount: 0, deferred: batch, rest: [], reason };
}

/**
 * Returns a lane with some messages, on a database that answers what `store` returns; the log; and the refused
 * messages.
 */
async function openLane(
  store: (batch: readonly QueuedMessage[]) => StoreResult,
  words: readonly string[] = ['hello'],
) {
  const lines: object[] = [];
  const refused: QueuedMessage[] = [];
  const note = (fields: object, message: string) => void lines.push({ ...fields, message });
  const lane = new Lane({
    sessionId: 'one',
    store: { store: async (batch) => store(batch) },
    refuse: async (message) => void refused.push(message),
    refuseLine: async () => {},
    openSpool: async () => {
      throw new Error('no disk');
    },
    noted: () => {},
    log: Object.assign(createLog('silent'), { warn: note, info: note }),
    refuseMs: 2000,
    spoolMs: 100,
  });
  await lane.messages.append(
    words.map((word) => textMessage('one', word)),
    false,
  );
  return { lane, lines, refused };
}

test('after a second of failures the log has the code of the last one, once, and at the end that the session goes on', async () => {
  startVirtualTime();
  let isLocked = true;
  const { lane, lines } = await openLane((batch) => (isLocked ? fails(batch, LOCKED) : STORED));
  const running = lane.run(never);
  await passTime(900);
  expect(lines).toEqual([]);
  await passTime(5000);
  const message = 'storing messages of session failed, retrying';
  expect(lines).toEqual([{ sessionId: 'one', code: '55P03', message }]);
  isLocked = false;
  await passTime(1000);
  await running;
  const resumed = 'resumed storing messages of session';
  expect(lines.slice(1)).toEqual([{ sessionId: 'one', message: resumed }]);
});

test('a session whose head is locked for a moment is in no log', async () => {
  startVirtualTime();
  let failures = 3;
  const { lane, lines } = await openLane((batch) =>
    failures-- > 0 ? fails(batch, LOCKED) : STORED,
  );
  const running = lane.run(never);
  await passTime(200);
  await running;
  expect([failures, lines]).toEqual([-1, []]);
});

test('attempts leave nothing behind on the signal, which lives as long as the process', async () => {
  startVirtualTime();
  const giveUp = new AbortController();
  const { lane } = await openLane((batch) => fails(batch, LOCKED));
  const running = lane.run(giveUp.signal);
  await passTime(20_000);
  expect(getEventListeners(giveUp.signal, 'abort').length).toBeLessThan(3);
  giveUp.abort();
  await running;
});

test('a message that can be stored again by the time another one is, is not refused', async () => {
  startVirtualTime();
  let isFaulty = true;
  const { lane, refused } = await openLane(
    (batch) => {
      const [first] = batch;
      if (first && 'content' in first && first.content === 'second') isFaulty = false;
      return isFaulty ? fails(batch, FAULTY) : STORED;
    },
    ['first', 'second'],
  );
  const running = lane.run(never);
  await passTime(5000);
  await running;
  expect([isFaulty, refused]).toEqual([false, []]);
});
