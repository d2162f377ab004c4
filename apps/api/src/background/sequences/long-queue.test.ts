import { MOST_SESSION_CLAIMS } from '@session/db';
import { passTime, startVirtualTime } from '@session/testing/virtual-time';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { fakeDatabase, type StatementAnswer } from '../../../testing/answered-database.ts';
import { spyLog } from '../../../testing/spy-log.ts';
import { createMetrics } from '../../http/metrics/metrics.ts';
import { ShutdownBudget } from '../shutdown-budget.ts';
import { SequenceWork } from './sequence-work.ts';

const unused = () => Promise.reject(new Error('not expected here'));

function openWork(answer: StatementAnswer) {
  startVirtualTime();
  const log = spyLog();
  const work = new SequenceWork({
    database: fakeDatabase(answer),
    rooms: { askAgain: unused },
    storedNotifier: { notify: () => {} },
    metrics: createMetrics(),
    log,
    shutdown: new ShutdownBudget(4000),
    now: Date.now,
  });
  return { log, [Symbol.asyncDispose]: () => work[Symbol.asyncDispose]() };
}

function claimOf(sessionId: string) {
  return { sessionId, position: '2026-11-21T08:00:00.000Z', claim: '1' };
}

test('while more sessions wait than are claimed at once, no pause comes between their reads', async () => {
  let waiting = 2 * MOST_SESSION_CLAIMS + 1;
  await using _ = openWork(async (name) => {
    if (name !== 'claim_sequence_sessions') return [];
    const count = Math.min(waiting, MOST_SESSION_CLAIMS);
    waiting -= count;
    return Array.from({ length: count }, () => claimOf(uuidv7()));
  });
  await passTime(1);
  expect(waiting).toBe(0);
});

test('a session whose numbers cannot be read holds up none that was claimed with it', async () => {
  const [first, broken, last] = [uuidv7(), uuidv7(), uuidv7()];
  const claims = [first, broken, last].map(claimOf);
  const read: unknown[] = [];
  await using work = openWork(async (name, [ids]) => {
    if (name === 'claim_sequence_sessions') return claims.splice(0);
    if (name !== 'fold_sequences' || !Array.isArray(ids)) return [];
    if (ids.includes(broken)) throw new Error('refused');
    read.push(...ids);
    return [];
  });
  await passTime(1);
  expect(read).toEqual([first, last]);
  const failure = { errors: [{ message: `reading numbers of session ${broken} failed` }] };
  const line = 'reading sequence numbers failed, retrying';
  expect(work.log.warn.mock.calls).toMatchObject([[{ err: failure }, line]]);
});
