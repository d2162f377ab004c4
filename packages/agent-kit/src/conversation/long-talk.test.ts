import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startConversing } from '../../testing/conversing.ts';

const TURNS = 200;
/** Twenty calls a minute are allowed: on this clock two hundred turns take hours. */
const CLOCK_SPEED = 10_000;
/** What stays alive while something listens, waits or runs. */
const KEPT = { AbortSignal, EventEmitter, Promise, WritableStream, ReadableStream };
/** Some more may be alive at any moment. */
const TOLERANCE = 20;
/** What 180 turns may add to the heap. An agent idles at 150 MB, and its role has 512 MiB. */
const TOLERATED_BYTES = 50e6;

test('200 turns leave no more timers, sockets, listeners, streams and memory than 20', async () => {
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() * CLOCK_SPEED);
  onTestFinished(() => clock.mockRestore());
  const variables = { LLM_API_KEY: 'rehearsal', LLM_CONTEXT_TOKENS: '4096' };
  const { agent, ann, turns, untilTurns } = await startConversing({ variables });
  let early: Counts = {};
  let earlyBytes = 0;
  for (let turn = 1; turn <= TURNS; turn += 1) {
    agent.hear({ text: `text ${turn}`, speaker: 'Ann' });
    await untilTurns(turn);
    if (turn === 20) {
      early = { ...resources(), ...objects() };
      earlyBytes = process.memoryUsage().heapUsed;
    }
  }
  await ann.untilAnswered(TURNS);
  expect(turns().every(({ outcome }) => outcome === 'complete')).toBe(true);
  clock.mockRestore();
  // The media client has timers of some seconds, and so has vitest's own polling: here it would see itself.
  for (let wait = 0; wait < 20 && grown(resources(), early).length > 0; wait += 1) await sleep(500);
  // Looking for objects walks the whole heap, which takes seconds on a busy machine.
  for (let wait = 0; wait < 3 && grown(objects(), early).length > 0; wait += 1) await sleep(1000);
  expect(grown({ ...resources(), ...objects() }, early)).toEqual([]);
  expect(process.memoryUsage().heapUsed - earlyBytes).toBeLessThan(TOLERATED_BYTES);
}, 120_000);

type Counts = Readonly<Record<string, number>>;

/** Returns how many resources of each kind, such as timers and sockets, the process has. */
function resources(): Counts {
  const counts: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** Returns how many objects of each kind of `KEPT` the process holds. It collects the garbage first. */
function objects(): Counts {
  return Object.fromEntries(
    Object.entries(KEPT).map(([name, type]) => [name, Number(queryObjects(type))]),
  );
}

/** Returns the kinds of which there are more than early on. */
function grown(now: Counts, early: Counts): [string, number][] {
  return Object.entries(now).filter(([name, count]) => count > (early[name] ?? 0) + TOLERANCE);
}
