import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startConversing } from '../../testing/conversing.ts';

const TURNS = 200;
/** On this clock, two hundred turns take hours, because only twenty calls a minute are allowed. */
const CLOCK_SPEED = 10_000;
/** At any moment, a few more resources may be in use. */
const TOLERANCE = 20;
/** What 180 turns may add to the heap. An agent idles at 150 MB, and its role has 512 MiB. */
const TOLERATED_BYTES = 50e6;

test('200 turns leave no more timers, sockets and listeners than 20, and little memory', async () => {
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() * CLOCK_SPEED);
  onTestFinished(() => clock.mockRestore());
  const variables = { LLM_API_KEY: 'rehearsal', LLM_CONTEXT_TOKENS: '4096' };
  const { agent, ann, turns, untilTurns } = await startConversing({ variables });
  // Node warns when an emitter has too many listeners.
  const warnings: string[] = [];
  const receive = ({ name }: Error) => warnings.push(name);
  process.on('warning', receive);
  onTestFinished(() => void process.off('warning', receive));
  let early: Counts = {};
  let earlyBytes = 0;
  for (let turn = 1; turn <= TURNS; turn += 1) {
    agent.hear({ text: `text ${turn}`, speaker: 'Ann' });
    await untilTurns(turn);
    if (turn === 20) {
      early = resources();
      earlyBytes = heapBytes();
    }
  }
  await ann.untilAnswered(TURNS);
  expect(turns().every(({ outcome }) => outcome === 'complete')).toBe(true);
  clock.mockRestore();
  // The media client has timers of some seconds. Polling by vitest would count its own timer here.
  const hasGrown = () => grown(resources(), early).length > 0;
  for (let wait = 0; wait < 120 && hasGrown(); wait += 1) await sleep(500);
  expect(grown(resources(), early)).toEqual([]);
  expect(warnings).not.toContain('MaxListenersExceededWarning');
  expect(heapBytes() - earlyBytes).toBeLessThan(TOLERATED_BYTES);
});

type Counts = Readonly<Record<string, number>>;

/** Returns how many resources of each kind, such as timers and sockets, the process has. */
function resources(): Counts {
  const counts: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** Returns the size of the heap after a garbage collection. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

/** Returns the kinds of which there are more than early on, with their numbers. */
function grown(now: Counts, early: Counts): [string, number][] {
  return Object.entries(now).filter(([name, count]) => count > (early[name] ?? 0) + TOLERANCE);
}
