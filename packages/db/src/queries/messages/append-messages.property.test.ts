import * as fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { type TestProject, typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { appendMessages } from './append-messages.ts';
import { listHeads } from './messages.ts';
import { pageMessages } from './read-messages.ts';

/** Noon of the day on which the history of an old session begins. */
const NOON = Date.parse('2000-01-01T12:00:00.000Z');

/** A message of the model: one of a few ids, how much later or earlier than noon, and whether it is pending. */
const ARRIVAL = fc.record({
  id: fc.integer({ min: 0, max: 7 }),
  receivedMs: fc.integer({ min: -50, max: 50 }),
  isPending: fc.boolean(),
});

test('whatever arrives: times strictly increase in the order of arrival, none is before its receipt, one row an id', async ({
  project,
}) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(ARRIVAL, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 4 }),
      async (batches) => {
        const sessionId = await project.newOldSession();
        const ids = Array.from({ length: 8 }, () => uuidv7());
        const rows = new Map<string, { at: number; isPending: boolean }>();
        let last = await headOf(project, sessionId);
        for (const batch of batches) {
          await appendMessages(
            project,
            batch.map(({ id, receivedMs, isPending }) =>
              typedText(sessionId, {
                id: ids[id] ?? '',
                receivedAt: NOON + receivedMs,
                status: isPending ? 'pending' : 'complete',
              }),
            ),
          );
          last = model(rows, last, acceptedOf(batch), ids);
        }
        const stored = await historyOf(project, sessionId);
        const times = stored.map(({ id, timestamp, status }) => ({
          id,
          at: Date.parse(timestamp),
          isPending: status === 'pending',
        }));
        expect(times).toEqual(
          [...rows].map(([id, row]) => ({ id, ...row })).toSorted((a, b) => a.at - b.at),
        );
        expect(await headOf(project, sessionId)).toBe(last);
      },
    ),
    { numRuns: 50 },
  );
});

async function headOf({ sql }: TestProject, sessionId: string): Promise<number> {
  const [head] = await listHeads({ sql }, [sessionId]);
  return Date.parse(head?.lastAt ?? '');
}

type Arrival = typeof ARRIVAL extends fc.Arbitrary<infer T> ? T : never;

/** Returns the first complete arrival of each id, or its first arrival, in the order of arrival. */
function acceptedOf(batch: readonly Arrival[]): Arrival[] {
  return batch.filter((arrival) => {
    const same = batch.filter(({ id }) => id === arrival.id);
    return arrival === (same.find(({ isPending }) => !isPending) ?? same[0]);
  });
}

/** Applies the rule of a batch to one message after the other. Returns the new head. */
function model(
  rows: Map<string, { at: number; isPending: boolean }>,
  head: number,
  batch: readonly Arrival[],
  ids: readonly string[],
): number {
  let [at, last] = [head, head];
  for (const { id, receivedMs, isPending } of batch) {
    at = Math.max(NOON + receivedMs, at + 1);
    const former = rows.get(ids[id] ?? '');
    if (former && (!former.isPending || isPending)) continue;
    // A completion keeps the time of its row, and moves the head.
    rows.set(ids[id] ?? '', { at: former?.at ?? at, isPending });
    last = at;
  }
  return last;
}

async function historyOf(project: TestProject, sessionId: string) {
  const page = { sessionId, userId: project.userId, cursor: undefined, limit: 100 };
  const { messages = [] } = (await pageMessages(project, page)) ?? {};
  return messages.toReversed();
}
