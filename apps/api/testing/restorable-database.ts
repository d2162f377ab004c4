import * as db from '@session/db';
import { type Database, type DatabaseTimeline, openDatabase, prepareDatabase } from '@session/db';
import { startRestorableServer } from '@session/testing';

/** `restored`: from a backup to a point in time. `standby`: a standby that was behind is promoted after a crash. */
type WayBack = 'restored' | 'standby';

/** A migrated database of its own server, which an API uses, and which can lose its last changes. */
export interface RestorableDatabase extends AsyncDisposable {
  readonly url: string;
  /** `restore` undoes all that is changed after this call. At least one change must follow. */
  keepUntilNow(): Promise<void>;
  /**
   * Restores or replaces the server as the guide says: it is away for a while, and then lacks what came later. `change`
   * may change the restored rows before the API reads them. Returns what `noteTimeline` reports before
   * `closeRestoredHistory` has run.
   */
  restore(
    change?: (sql: Database['sql']) => Promise<unknown>,
  ): Promise<DatabaseTimeline | undefined>;
}

/** Starts the server, and backs it up. */
export async function startRestorableDatabase(
  way: WayBack = 'restored',
): Promise<RestorableDatabase> {
  const server = await startRestorableServer();
  const { url } = server;
  const stop = new AbortController().signal;
  await prepareDatabase({ databaseUrl: url, databaseDirectUrl: url }, { stop });
  await server.backUp();
  let restoredTo = '';
  let replacement: DatabaseTimeline | undefined;
  return {
    url,
    async keepUntilNow() {
      if (way === 'standby') {
        await server.startStandby();
        return;
      }
      await using database = openDatabase(url, { connections: 1 });
      const [row] = await database.sql`select clock_timestamp()::text as now`;
      restoredTo = String(row?.['now']);
    },
    async restore(change = async () => {}) {
      const prepare = async (hidden: string) => {
        await using restored = openDatabase(hidden, { connections: 1 });
        replacement = await db.noteTimeline(restored);
        await db.closeRestoredHistory(restored);
        await change(restored.sql);
      };
      if (way === 'standby') await server.failOver(prepare);
      else await server.restore(restoredTo, prepare);
      return replacement;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
