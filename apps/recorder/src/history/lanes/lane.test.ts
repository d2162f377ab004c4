import { passTime, startVirtualTime } from '@session/testing/virtual-time';
import { expect, test } from 'vitest';
import { textMessage } from '../../../testing/history-writer.ts';
import type { QueuedMessage, StoreResult } from '../../message-path.ts';
import { createLog } from '../../process/log.ts';
import { Lane } from './lane.ts';

const never = new AbortController().signal;
const LOCKED = Object.assign(new Error('locked'), { code: '55P03' });

/** A lane with one message, on a database that answers what `store` returns, and the log. */
async function openLane(store: (batch: readonly QueuedMessage[]) => StoreResult) {
  const lines: object[] = [];
  const note = (fields: object, message: string) => void lines.push({ ...fields, message });
  const lane = new Lane({
    sessionId: 'one',
    store: { store: async (batch) => store(batch) },
    refuse: async () => {},
    refuseLine: async () => {},
    openSpool: async () => {
      throw new Error('no disk');
    },
    noted: () => {},
    log: Object.assign(createLog('silent'), { warn: note, info: note }),
    refuseMs: 600_000,
    spoolMs: 100,
  });
  await lane.messages.append([textMessage('one', 'hello')], false);
  return { lane, lines };
}

test('after a second of failures the log has the code of the last one, once, and at the end that the session goes on', async () => {
  startVirtualTime();
  let isLocked = true;
  const { lane, lines } = await openLane((batch) =>
    isLocked
      ? { settledCount: 0, deferred: batch, rest: [], reason: LOCKED }
      : { settledCount: batch.length, deferred: [], rest: [] },
  );
  const running = lane.run(never);
  await passTime(900);
  expect(lines).toEqual([]);
  await passTime(5000);
  const message = 'storing a session failed; its messages wait';
  expect(lines).toEqual([{ sessionId: 'one', code: '55P03', message }]);
  isLocked = false;
  await passTime(1000);
  await running;
  expect(lines.slice(1)).toEqual([{ sessionId: 'one', message: 'resumed storing a session' }]);
});

test('a session whose head is locked for a moment is in no log', async () => {
  startVirtualTime();
  let failures = 3;
  const { lane, lines } = await openLane((batch) =>
    failures-- > 0
      ? { settledCount: 0, deferred: batch, rest: [], reason: LOCKED }
      : { settledCount: batch.length, deferred: [], rest: [] },
  );
  const running = lane.run(never);
  await passTime(200);
  await running;
  expect([failures, lines]).toEqual([-1, []]);
});
