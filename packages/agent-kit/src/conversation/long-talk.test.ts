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
  let early: Record<string, number> = {};
  let earlyBytes = 0;
  for (let turn = 1; turn <= TURNS; turn += 1) {
    agent.hear({ text: `text ${turn}`, speaker: 'Ann' });
    await untilTurns(turn);
    if (turn === 20) {
      early = alive();
      earlyBytes = process.memoryUsage().heapUsed;
    }
  }
  await ann.untilAnswered(TURNS);
  expect(turns().every(({ outcome }) => outcome === 'complete')).toBe(true);
  clock.mockRestore();
  // The media client has timers of some seconds, and so has vitest's own polling: here it would see itself.
  const grown = () =>
    Object.entries(alive()).filter(([name, count]) => count > (early[name] ?? 0) + TOLERANCE);
  for (let wait = 0; wait < 20 && grown().length > 0; wait += 1) await sleep(500);
  expect(grown()).toEqual([]);
  expect(process.memoryUsage().heapUsed - earlyBytes).toBeLessThan(TOLERATED_BYTES);
}, 120_000);

/** Returns how many resources and objects of each kind the process holds. Looking for objects collects garbage first. */
function alive(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo()) counts[name] = (counts[name] ?? 0) + 1;
  for (const [name, type] of Object.entries(KEPT)) counts[name] = Number(queryObjects(type));
  return counts;
}
