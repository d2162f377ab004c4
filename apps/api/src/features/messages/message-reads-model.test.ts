import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  follow,
  pageBack,
  type ReadMessage,
  spoken,
  startTestHistory,
  type TestHistory,
} from '../../../testing/history.ts';
import {
  anyWriter,
  messagesOf,
  type Version,
  versionsOf,
  type Writer,
} from '../../../testing/writers.ts';

const anyFollower = fc.record({
  limit: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant(500)),
  wait: fc.constantFrom(0, 1, 25),
});
const anyPager = fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant(100));

const positionOf = ({ id, timestamp }: ReadMessage) => `${id} ${timestamp}`;
const textOf = ({ id, status }: Version) => `${id} ${status}`;

/** One walk through the history, with the versions that were certainly stored when it began. */
interface Walk {
  readonly seen: readonly ReadMessage[];
  readonly before: readonly Version[];
}

/** Stores a writer's batches through each of its recorders. Adds to `stored` the versions that are certainly stored. */
async function write(
  { append }: TestHistory,
  { behindMs }: Writer,
  batches: readonly (readonly ReturnType<typeof spoken>[])[],
  stored: Version[],
): Promise<void> {
  const recorders = behindMs.map(async (lagMs) => {
    for (const batch of batches) {
      const receivedAt = Date.now() - lagMs;
      await append(batch.map((message) => ({ ...message, receivedAt })));
      stored.push(...batch);
    }
  });
  await Promise.all(recorders);
}

/** Reads the whole history again and again, until everything is written. */
async function walk(
  history: TestHistory,
  sessionId: string,
  limit: number,
  during: { readonly stored: readonly Version[]; readonly isOver: boolean },
): Promise<Walk[]> {
  const walks: Walk[] = [];
  do {
    const before = [...during.stored];
    walks.push({ before, seen: await pageBack(history, sessionId, limit) });
  } while (!during.isOver);
  return walks;
}

test('during any concurrent writes: a follower sees each version once in one order, and a reader who pages back misses none', async () => {
  await using history = await startTestHistory();
  const script = fc.record({
    writers: fc.array(anyWriter, { minLength: 1, maxLength: 4 }),
    followers: fc.array(anyFollower, { minLength: 1, maxLength: 4 }),
    pagers: fc.array(anyPager, { minLength: 1, maxLength: 2 }),
  });
  const property = fc.asyncProperty(script, async ({ writers, followers, pagers }) => {
    const sessionId = await history.api.createSession(history.ana);
    const said = writers.map((writer) => messagesOf(sessionId, writer));
    const last = spoken(sessionId);
    const stored: Version[] = [];
    const during = { stored, isOver: false, last: last.id };
    const following = followers.map((query) => follow(history, sessionId, query, during));
    const walking = pagers.map((limit) => walk(history, sessionId, limit, during));
    const written = writers.map((writer, index) =>
      write(history, writer, said[index] ?? [], during.stored),
    );
    await Promise.all(written);
    await history.append([last]);
    during.isOver = true;
    const logs = [...said.map(versionsOf), [last]];
    const followed = await Promise.all(following);
    for (const seen of followed) expectToFollow(seen, logs);
    const finals = followed.map((seen) => seen.filter(isFinal(logs.flat())).map(textOf));
    for (const order of finals) expect(order).toEqual(finals[0]);
    const all = await pageBack(history, sessionId, 100);
    for (const seen of followed) expectSameOrder(seen, all.toReversed(), logs);
    expectToBeAll(all, logs);
    for (const { seen, before } of (await Promise.all(walking)).flat()) {
      expectToBePart(seen, before, all);
    }
  });
  await fc.assert(property, { numRuns: 15, endOnFailure: true });
});

/** Returns a function that says whether a version is the last one of its message. */
function isFinal(log: readonly Version[]): (version: Version) => boolean {
  const last = new Map(log.map((version) => [version.id, version.status]));
  return ({ id, status }) => last.get(id) === status;
}

/** Expects all versions of each writer, once and in order. A pending version may be absent if its completion was read first. */
function expectToFollow(seen: readonly ReadMessage[], logs: readonly (readonly Version[])[]): void {
  const texts = seen.map(textOf);
  for (const log of logs) {
    const isLast = isFinal(log);
    const due = log.filter((version) => isLast(version) || texts.includes(textOf(version)));
    const ids = new Set(log.map(({ id }) => id));
    const own = seen.filter(({ id }) => ids.has(id));
    expect(own.map(textOf)).toEqual(due.map(textOf));
  }
  expect(texts).toHaveLength(new Set(texts).size);
}

/** Expects the messages that were never pending in the order of their positions. */
function expectSameOrder(
  seen: readonly ReadMessage[],
  inOrder: readonly ReadMessage[],
  logs: readonly (readonly Version[])[],
): void {
  const growing = new Set(
    logs.flat().flatMap(({ id, status }) => (status === 'pending' ? id : [])),
  );
  const wholeIn = (messages: readonly ReadMessage[]) =>
    messages.map(({ id }) => id).filter((id) => !growing.has(id));
  expect(wholeIn(seen)).toEqual(wholeIn(inOrder));
}

/** Expects each message once, in its last version, at the position of its first version. */
function expectToBeAll(all: readonly ReadMessage[], logs: readonly (readonly Version[])[]): void {
  const times = all.map(({ timestamp }) => timestamp);
  expect(times).toEqual([...new Set(times)].toSorted().toReversed());
  for (const log of logs) {
    const last = new Map(log.map((version) => [version.id, textOf(version)]));
    const own = all.filter(({ id }) => last.has(id)).toReversed();
    expect(own.map(textOf)).toEqual([...last.values()]);
  }
  expect(all).toHaveLength(new Set(logs.flat().map(({ id }) => id)).size);
}

/** Expects the oldest messages of the history, without a gap. All of `before` are among them, and complete if they were. */
function expectToBePart(
  seen: readonly ReadMessage[],
  before: readonly Version[],
  all: readonly ReadMessage[],
): void {
  const start = all.length - seen.length;
  expect(seen.map(positionOf)).toEqual(all.slice(start).map(positionOf));
  const status = new Map(seen.map((message) => [message.id, message.status]));
  const missing = before.filter((version) => !status.has(version.id));
  const late = before.filter(
    (version) => version.status !== 'pending' && status.get(version.id) === 'pending',
  );
  expect({ missing, late }).toEqual({ missing: [], late: [] });
}
