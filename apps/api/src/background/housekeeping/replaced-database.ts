import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import type { Log } from '../../http/log-stream.ts';

/** Warns once when another server has taken over the database and `after-restore` was not run. */
export async function watchTimeline({ database }: Pick<Deps, 'database'>, log: Log): Promise<[]> {
  const replacement = await db.noteTimeline(database);
  if (replacement) {
    log.warn(
      replacement,
      'database moved to another server; run after-restore if messages may have been lost',
    );
  }
  return [];
}
