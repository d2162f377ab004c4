import { MOST_SESSION_CLAIMS } from '@session/db';
import { passTime, startVirtualTime } from '@session/testing/virtual-time';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { fakeDatabase } from '../../../testing/answered-database.ts';
import { spyLog } from '../../../testing/spy-log.ts';
import { createMetrics } from '../../http/metrics/metrics.ts';
import { ShutdownBudget } from '../shutdown-budget.ts';
import { SequenceWork } from './sequence-work.ts';

const unused = () => Promise.reject(new Error('not expected here'));

test('while more sessions wait than are claimed at once, no pause comes between their reads', async () => {
  startVirtualTime();
  let waiting = 2 * MOST_SESSION_CLAIMS + 1;
  const database = fakeDatabase(async (name) => {
    if (name !== 'claim_sequence_sessions') return [];
    const count = Math.min(waiting, MOST_SESSION_CLAIMS);
    waiting -= count;
    return Array.from({ length: count }, () => ({
      sessionId: uuidv7(),
      position: '2026-11-21T08:00:00.000Z',
      claim: '1',
    }));
  });
  await using _ = new SequenceWork({
    database,
    rooms: { askAgain: unused },
    storedNotifier: { notify: () => {} },
    metrics: createMetrics(),
    log: spyLog(),
    shutdown: new ShutdownBudget(4000),
    now: Date.now,
  });
  await passTime(1);
  expect(waiting).toBe(0);
});
