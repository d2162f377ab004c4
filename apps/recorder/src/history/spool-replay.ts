import { pause } from '@session/kit';
import type { Logger } from 'pino';
import type { BatchReceiver, QueuedMessage, StoreResult } from '../message-path.ts';
import { BATCH_MESSAGES } from './batch-store.ts';
import type { LossReport } from './loss-report.ts';
import type { Spool } from './spool.ts';
import type { SpoolLine } from './spool-line.ts';

const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 1000;

export interface ReplayDeps {
  readonly store: BatchReceiver;
  readonly spool: Pick<Spool, 'first' | 'length' | 'settle'>;
  readonly losses: Pick<LossReport, 'refuseLine'>;
  readonly log: Pick<Logger, 'error'>;
  /** Is called with the result of each batch. */
  readonly noted: (result: StoreResult) => void;
}

/**
 * Stores what is in the spool, and what is added meanwhile, until nothing is left or `signal` aborts. What the database
 * does not take now is sent again.
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

/** Returns whether the first lines are settled. */
async function replaySome(
  { store, spool, losses, noted }: ReplayDeps,
  signal: AbortSignal,
): Promise<boolean> {
  const lines = await spool.first(BATCH_MESSAGES);
  const [first] = lines;
  if (first && !first.queued) {
    await losses.refuseLine(first.text);
    await spool.settle([first]);
    return true;
  }
  const result = await store.store(readableOf(lines));
  // The next process stores the lines again: a message that is stored twice counts once.
  if (signal.aborted) return false;
  await spool.settle(lines.slice(0, result.settled));
  noted(result);
  return !('error' in result);
}

/** Returns the messages before the first line that cannot be read. */
function readableOf(lines: readonly SpoolLine[]): QueuedMessage[] {
  const messages: QueuedMessage[] = [];
  for (const { queued } of lines) {
    if (!queued) break;
    messages.push(queued);
  }
  return messages;
}
