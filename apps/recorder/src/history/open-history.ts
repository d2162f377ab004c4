import type { MessageQueries } from '@session/db';
import { StartError } from '@session/kit';
import type { Logger } from 'pino';
import { BatchStore } from './batch-store.ts';
import type { Loss } from './queued-message.ts';
import { Flush } from './history-writer.ts';
import { LostMessages } from './loss-report.ts';
import { RejectedFile } from './rejected-file.ts';
import { Spool } from './spool.ts';

export interface StorageDeps {
  readonly queries: Pick<MessageQueries, 'appendMessages'>;
  /** Has the session's history say that there is a gap. Throws when the database is away. */
  readonly recordLoss: (loss: Loss) => Promise<void>;
  readonly log: Logger;
  /** As in `FlushDeps`. */
  readonly timing: { readonly flushMs: number; readonly spoolMs: number };
  readonly queueBytes?: number;
  /** The recorder's own folder, and how much may wait in it. */
  readonly spoolFolder: string;
  readonly spoolBytes: number;
}

/**
 * Opens the way into the history, and begins with what an earlier process has left in the folder. Throws a StartError when
 * that cannot be used.
 */
export async function openStorage(deps: StorageDeps): Promise<Flush> {
  const { spoolFolder: folder, spoolBytes: limitBytes, timing, log } = deps;
  const lost = new LostMessages(log, new RejectedFile(folder));
  const shed = (sessionId: string, count: number) => lost.shed(sessionId, count);
  const spool = await Spool.open({ folder, limitBytes, shed }).catch((cause: unknown) => {
    throw new StartError(`RECORDER_SPOOL_DIR: ${folder} cannot be used.`, { cause });
  });
  if (spool.length > 0) log.info({ count: spool.length }, 'the spool holds messages');
  const reject = (...rejected: Parameters<LostMessages['refuse']>) => lost.refuse(...rejected);
  const store = new BatchStore({ ...deps, reject });
  const { flushMs, spoolMs } = timing;
  const limit = deps.queueBytes === undefined ? {} : { queueBytes: deps.queueBytes };
  return new Flush({ store, spool, lost, log, flushMs, spoolMs, ...limit });
}
