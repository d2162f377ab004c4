import { StartError } from '@session/kit';
import type { Logger } from 'pino';
import type { LostMessages, RowWriter } from '../message-path.ts';
import type { Timing } from '../timing.ts';
import { BatchStore } from './batch-store.ts';
import { HistoryWriter } from './history-writer.ts';
import { LossReport } from './loss-report.ts';
import { RejectedFile } from './rejected-file.ts';
import { Spool } from './spool.ts';

export interface HistoryDeps {
  readonly queries: RowWriter;
  /** Takes the time of lost messages out of the intervals, which leaves a gap. Throws when the database is away. */
  readonly reportLoss: (lost: LostMessages) => Promise<void>;
  readonly log: Logger;
  readonly timing: Pick<Timing, 'flushMs' | 'spoolMs'>;
  readonly queueBytes?: number;
  /** The recorder's own folder. */
  readonly spoolFolder: string;
  /** How much may wait in that folder. */
  readonly spoolBytes: number;
}

/**
 * Opens the history writer, which begins with what an earlier process has left in the folder. Throws a StartError when the
 * folder cannot be used.
 */
export async function openHistory(deps: HistoryDeps): Promise<HistoryWriter> {
  const { spoolFolder: folder, spoolBytes: limitBytes, timing, log } = deps;
  const losses = new LossReport(log, new RejectedFile(folder));
  const onShed = (sessionId: string, count: number) => losses.shed(sessionId, count);
  const spool = await Spool.open({ folder, limitBytes, onShed }).catch((cause: unknown) => {
    throw new StartError(`RECORDER_SPOOL_DIR: ${folder} cannot be used.`, { cause });
  });
  if (spool.length > 0) log.info({ count: spool.length }, 'the spool holds messages');
  const reject = (...refused: Parameters<LossReport['refuse']>) => losses.refuse(...refused);
  const store = new BatchStore({ ...deps, reject });
  const { flushMs, spoolMs } = timing;
  const limit = deps.queueBytes === undefined ? {} : { queueBytes: deps.queueBytes };
  return new HistoryWriter({ store, spool, losses, log, flushMs, spoolMs, ...limit });
}
