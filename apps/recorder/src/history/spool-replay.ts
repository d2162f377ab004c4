import { pause } from '@session/kit';
import type { Logger } from 'pino';
import type { BatchStore, Outcome } from './batch-store.ts';
import type { Entry } from './queued-message.ts';
import type { LostMessages } from './loss-report.ts';
import type { Spool } from './spool.ts';
import type { Line } from './spool-segment.ts';

const BATCH = 500;
const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 1000;

export interface ReplayDeps {
  readonly store: Pick<BatchStore, 'store'>;
  readonly spool: Pick<Spool, 'first' | 'length' | 'settle'>;
  readonly lost: Pick<LostMessages, 'refuseLine'>;
  readonly log: Logger;
  /** Is told how the database took some of it. */
  readonly noted: (outcome: Outcome) => void;
}

/**
 * Stores what is in the spool, and what comes into it meanwhile, until nothing is left or `signal` aborts. What the
 * database does not take now is sent again.
 */
export async function replaySpool(deps: ReplayDeps, signal: AbortSignal): Promise<void> {
  let delayMs = FIRST_RETRY_MS;
  while (deps.spool.length > 0 && !signal.aborted) {
    const isStored = await replaySome(deps, signal).catch((err: unknown) => {
      deps.log.error({ err }, 'the spool cannot be read');
      return false;
    });
    if (!isStored) await pause(delayMs, signal);
    delayMs = isStored ? FIRST_RETRY_MS : Math.min(2 * delayMs, LONGEST_RETRY_MS);
  }
}

/** Gives whether the first lines are dealt with. */
async function replaySome(
  { store, spool, lost, noted }: ReplayDeps,
  signal: AbortSignal,
): Promise<boolean> {
  const lines = await spool.first(BATCH);
  const [first] = lines;
  if (first && !first.entry) {
    await lost.refuseLine(first.text);
    await spool.settle([first]);
    return true;
  }
  const outcome = await store.store(readableOf(lines));
  // Then the next process stores it again: what is stored twice counts once.
  if (signal.aborted) return false;
  await spool.settle(lines.slice(0, outcome.settled));
  noted(outcome);
  return !('error' in outcome);
}

/** Gives the entries before the first line that cannot be read. */
function readableOf(lines: readonly Line[]): Entry[] {
  const entries: Entry[] = [];
  for (const { entry } of lines) {
    if (!entry) break;
    entries.push(entry);
  }
  return entries;
}
