import { pause } from '@session/kit';
import type { BatchReceiver, QueuedMessage, StoreResult } from '../message-path.ts';
import type { RecorderLog } from '../process/log.ts';
import { BATCH_MESSAGES, storeBesideLanes } from './batch-store.ts';
import type { LossReport } from './loss-report.ts';
import type { Spool } from './spool/spool.ts';
import { lineOf } from './spool/spool-line.ts';
import { readFirst } from './spool/spool-read.ts';

const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 1000;

export interface ReplayDeps {
  readonly store: BatchReceiver;
  readonly spool: Pick<Spool, 'first' | 'hasOther' | 'length' | 'settle'>;
  readonly takeLate: () => LateBatch | undefined;
  readonly lanes: MessageLanes;
  readonly losses: Pick<LossReport, 'refuseLine'>;
  readonly log: RecorderLog;
  readonly noted: (result: StoreResult) => void;
}

export interface LateBatch {
  readonly messages: readonly QueuedMessage[];
  readonly answer: Promise<StoreResult>;
}

export interface MessageLanes {
  has(sessionId: string): boolean;
  append(messages: readonly QueuedMessage[], isDurable: boolean): Promise<void>;
}

/**
 * Stores the messages of the spool until none is left or `signal` aborts. Retries messages that the database does not
 * take. A late batch is not sent again before its answer. Everything behind it waits for the answer too, because of two
 * messages with the same id the history keeps the one that was stored first.
 */
export async function replaySpool(deps: ReplayDeps, signal: AbortSignal): Promise<void> {
  let delayMs = FIRST_RETRY_MS;
  while (deps.spool.length > 0 && !signal.aborted) {
    const isStored = await replaySome(deps, signal).catch((err: unknown) => {
      deps.log.error({ err }, 'replaying spool failed');
      return false;
    });
    if (!isStored) await pause(delayMs, signal);
    delayMs = isStored ? FIRST_RETRY_MS : Math.min(2 * delayMs, LONGEST_RETRY_MS);
  }
}

async function replaySome(deps: ReplayDeps, signal: AbortSignal): Promise<boolean> {
  const { store, spool, lanes, losses, noted } = deps;
  const late = deps.takeLate();
  const lines =
    late?.messages.map(lineOf) ??
    (await readFirst(spool, BATCH_MESSAGES, (text) => losses.refuseLine(text)));
  const messages = lines.map(({ queued }) => queued);
  const answer =
    late?.answer ?? storeBesideLanes({ store, lanes }, messages, !spool.hasOther(messages));
  const result = await answer;
  // The next process stores the lines again. A message that is stored twice counts once.
  if (signal.aborted) return false;
  const rest = new Set(result.rest);
  const firstLeft = lines.findIndex(({ queued }) => rest.has(queued));
  const settled = firstLeft < 0 ? lines : lines.slice(0, firstLeft);
  const deferred = new Set(result.deferred);
  // Lines behind the first remaining line are read again, and must not fill the lanes each time.
  const toLanes = settled.map(({ queued }) => queued).filter((queued) => deferred.has(queued));
  await lanes.append(toLanes, true);
  await spool.settle(settled);
  noted(result);
  return !('error' in result);
}
