import type { UnsureMark } from '@session/db';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { oldestOf, UnstoredWords } from '../session/unstored-words.ts';
import { UnsureMarks } from './unsure-marks.ts';

const HOLD_BACK_MS = 1000;
const SESSIONS: readonly number[] = [0, 1, 2];

const ACTS = [
  ...(['receive', 'passOn', 'hold', 'decide', 'store', 'wait', 'beat'] as const),
  ...(['defer', 'storeLane'] as const),
] as const;

/** What may happen: in one session, or everywhere. */
const step: fc.Arbitrary<Step> = fc.record({
  act: fc.constantFrom(...ACTS),
  session: fc.constantFrom(...SESSIONS),
  count: fc.nat(3),
  waitMs: fc.nat(2500),
  fault: fc.constantFrom('none', 'none', 'away', 'locked', 'lost'),
});

interface Step {
  readonly act: (typeof ACTS)[number];
  readonly session: number;
  readonly count: number;
  readonly waitMs: number;
  readonly fault: string;
}

interface Writing {
  readonly session: number;
  readonly since: number;
  readonly receivedAt: number;
}

/** A recorder's words, and what its database knows of them. */
class Model {
  now = 1_000_000;
  /** By session: when its open text began. */
  readonly #open = new Map<number, number>();
  /** By session: when each packet was received whose sender is looked up. */
  readonly #held = new Map<number, number[]>(SESSIONS.map((session) => [session, []]));
  /** What the history writer holds: a message, and when its first word was received. */
  #writing: Writing[] = [];
  /** What waits in lanes of the history writer. */
  #inLanes: Writing[] = [];
  readonly #words = new Map(SESSIONS.map((session) => [session, new UnstoredWords()]));
  readonly #stored = { flushedAt: this.now, marks: new Map<string, number>() };
  readonly #marks: UnsureMarks;
  #fault = 'none';

  constructor() {
    const updateUnsure = async (changes: readonly UnsureMark[]) => {
      if (this.#fault === 'away') throw new Error('away');
      const taken = this.#fault === 'locked' ? changes.slice(1) : changes;
      for (const { intervalId, unsureFrom } of taken) {
        if (unsureFrom === null) this.#stored.marks.delete(intervalId);
        else this.#stored.marks.set(intervalId, Date.parse(unsureFrom));
      }
      this.#note();
      if (this.#fault === 'lost') throw new Error('written, but the answer was lost');
      return taken.map(({ intervalId }) => intervalId);
    };
    this.#marks = new UnsureMarks({ queries: { updateUnsure }, holdBackMs: HOLD_BACK_MS });
  }

  async act({ act, session, count, waitMs, fault }: Step): Promise<void> {
    if (act === 'store') this.store(count);
    else if (act === 'wait') this.now += waitMs;
    else if (act === 'beat') await this.beat(fault);
    else this[act](session);
    this.#note();
  }

  receive(session: number): void {
    if (this.#open.has(session)) return;
    this.#open.set(session, this.now);
    this.#words.get(session)?.hold('text', this.now);
  }

  passOn(session: number): void {
    const since = this.#open.get(session);
    if (since === undefined) return;
    this.#open.delete(session);
    this.#words.get(session)?.passOn(this.#words.get(session)?.release('text'), this.now);
    this.#writing.push({ session, since, receivedAt: this.now });
  }

  hold(session: number): void {
    this.#held.get(session)?.push(this.now);
  }

  decide(session: number): void {
    const since = this.#held.get(session)?.shift();
    if (since !== undefined) this.#writing.push({ session, since, receivedAt: since });
  }

  /** Stores the first messages, but for those of a session with a lane: they go there. */
  store(count: number): void {
    const lanes = new Set(this.#inLanes.map(({ session }) => session));
    const batch = this.#writing.splice(0, count);
    this.#inLanes.push(...batch.filter(({ session }) => lanes.has(session)));
  }

  /** Another transaction has locked the session: its messages wait in a lane. */
  defer(session: number): void {
    this.#inLanes.push(...this.#writing.filter((one) => one.session === session));
    this.#writing = this.#writing.filter((one) => one.session !== session);
  }

  storeLane(session: number): void {
    const first = this.#inLanes.findIndex((one) => one.session === session);
    if (first >= 0) this.#inLanes.splice(first, 1);
  }

  async beat(fault: string): Promise<void> {
    this.#fault = fault;
    const oldestAt = oldestOf(...this.#writing.map(({ receivedAt }) => receivedAt));
    const inLanes = new Map<string, number>();
    for (const { session, receivedAt } of this.#inLanes) {
      const id = `session ${session}`;
      inLanes.set(id, Math.min(receivedAt, inLanes.get(id) ?? receivedAt));
    }
    const intervals = SESSIONS.map((session) => {
      const sessionId = `session ${session}`;
      const inLane = inLanes.get(sessionId);
      const writerOldestAt = oldestOf(oldestAt, inLane);
      return {
        sessionId,
        intervalId: `interval ${session}`,
        from: 0,
        isWritten: true,
        writerOldestAt,
        unstoredSince: oldestOf(
          this.#held.get(session)?.[0],
          this.#words.get(session)?.oldestAt(writerOldestAt),
          inLane,
        ),
      };
    });
    const progress = { now: this.now, pendingSince: { oldestAt, inLanes }, intervals };
    this.#stored.flushedAt = await this.#marks.update(progress);
    this.#note();
  }

  /** How often a kill would have left a time covered that contains a word that is not stored. */
  faults = 0;

  #note(): void {
    for (const session of SESSIONS) {
      const mark = this.#stored.marks.get(`interval ${session}`);
      const end = Math.min(this.#stored.flushedAt, mark ?? Number.POSITIVE_INFINITY);
      const all = [...this.#writing, ...this.#inLanes];
      const writing = all.filter((one) => one.session === session);
      const unstored = oldestOf(
        this.#open.get(session),
        this.#held.get(session)?.[0],
        ...writing.map(({ since }) => since),
      );
      if (unstored !== undefined && end > unstored) this.faults += 1;
    }
  }

  get flushedAt(): number {
    return this.#stored.flushedAt;
  }

  get marks(): ReadonlyMap<string, number> {
    return this.#stored.marks;
  }
}

test('whenever the recorder is killed, no covered time contains a word that is not stored', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
      const model = new Model();
      for (const one of steps) {
        model.now += 1;
        await model.act(one);
      }
      expect(model.faults).toBe(0);
    }),
    { numRuns: 1000 },
  );
});

test('a mark that could not be moved goes only after the words that came since are stored', async () => {
  const model = new Model();
  model.hold(0);
  model.now += HOLD_BACK_MS;
  await model.beat('none');
  model.decide(0);
  model.now += 1;
  await model.beat('none');
  model.now += 1;
  model.hold(0);
  model.store(1);
  model.now += 1;
  await model.beat('locked');
  model.decide(0);
  model.now += 1;
  await model.beat('none');
  expect([model.faults, model.marks.size]).toEqual([0, 1]);
  model.store(1);
  model.now += 1;
  await model.beat('none');
  expect([model.faults, model.marks.size]).toEqual([0, 0]);
});

test('after a removal without an answer a mark covers no new word until it is written again', async () => {
  const model = new Model();
  model.hold(0);
  model.now += HOLD_BACK_MS;
  await model.beat('none');
  model.decide(0);
  model.store(1);
  model.now += 1;
  await model.beat('lost');
  model.now += 1;
  const began = model.now;
  model.hold(0);
  model.now += 1;
  await model.beat('locked');
  expect([model.faults, model.flushedAt]).toEqual([0, began]);
});

test('a long text holds its own session back alone, and nothing once it is stored', async () => {
  const model = new Model();
  const began = model.now;
  model.receive(0);
  await model.beat('none');
  expect([model.flushedAt, model.marks.size]).toEqual([began, 0]);
  model.now += HOLD_BACK_MS;
  await model.beat('none');
  expect([model.flushedAt, [...model.marks]]).toEqual([model.now, [['interval 0', began]]]);
  model.passOn(0);
  model.now += 500;
  await model.beat('none');
  expect([...model.marks]).toEqual([['interval 0', began]]);
  model.store(1);
  model.now += 500;
  await model.beat('none');
  expect([model.flushedAt, model.marks.size]).toEqual([model.now, 0]);
});

test('a session in a lane holds itself back alone; without an open interval it holds everything back', async () => {
  const model = new Model();
  const began = model.now;
  model.hold(0);
  model.decide(0);
  model.defer(0);
  model.now += 60_000;
  await model.beat('none');
  expect([model.flushedAt, [...model.marks]]).toEqual([model.now, [['interval 0', began]]]);
  model.storeLane(0);
  model.now += 500;
  await model.beat('none');
  expect([model.flushedAt, model.marks.size]).toEqual([model.now, 0]);
  const marks = new UnsureMarks({ queries: { updateUnsure: async () => [] }, holdBackMs: 1 });
  const pendingSince = { oldestAt: 70_000, inLanes: new Map([['left', 5]]) };
  expect(await marks.update({ now: 90_000, pendingSince, intervals: [] })).toBe(5);
  // The lane's message belongs to an earlier interval.
  const later = { sessionId: 'left', intervalId: 'i', from: 6, isWritten: true };
  const intervals = [{ ...later, writerOldestAt: 5, unstoredSince: 90_000 }];
  expect(await marks.update({ now: 90_000, pendingSince, intervals })).toBe(5);
});

test('a mark that cannot be written holds everything back, and is written later', async () => {
  const model = new Model();
  const began = model.now;
  model.receive(0);
  model.now += 60_000;
  for (const fault of ['away', 'locked']) {
    await model.beat(fault);
    expect([model.flushedAt, model.marks.size]).toEqual([began, 0]);
  }
  await model.beat('none');
  expect([model.flushedAt, model.marks.size]).toEqual([model.now, 1]);
});

test('the words of an interval that the database does not know yet hold everything back', async () => {
  const marks = new UnsureMarks({
    queries: { updateUnsure: () => Promise.reject(new Error('must not be called')) },
    holdBackMs: HOLD_BACK_MS,
  });
  const [oldestAt, writerOldestAt] = [undefined, undefined];
  const of = { sessionId: 's', intervalId: 'i', from: 0, isWritten: false };
  const progress = { now: 90_000, pendingSince: { oldestAt, inLanes: new Map() } };
  const intervals = [{ ...of, writerOldestAt, unstoredSince: 5 }];
  expect(await marks.update({ ...progress, intervals })).toBe(5);
});
