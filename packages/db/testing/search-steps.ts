import type { Database } from '../src/connection/client.ts';
import * as db from '../src/index.ts';
import { manyRowsId as id } from './many-rows.ts';

/** The statements of the search index, on many rows: for the test of the use of indexes. */
export function searchSteps(database: Database) {
  const search = (n: number, q: string) =>
    db.searchMessages(
      database,
      { projectId: id('project', n + 1), userId: id('user', n + 2), q, limit: 51 },
      60_000,
    );
  return {
    claimSearchSessions: async (n: number) => {
      await database.sql`
        update follower_positions set wanted = now(), next_attempt_at = now()
        where follower_id = ${db.SEARCH_FOLLOWER_ID} and session_id = ${id('session', n)}`;
      const [claim, ...others] = await db.claimSearchSessions(database, 60_000);
      if (!claim) throw new Error('nothing is due');
      await db.postponeSearchSession(database, claim, 'failed');
      await db.fillSearchIndex(database, others);
    },
    reindexSessions: async (n: number) => {
      await db.updateProject(database, id('project', n), { searchLanguage: 'german' });
      while ((await db.reindexSessions(database)) !== undefined);
    },
    countFollowers: () => db.countFollowers(database, 'search'),
    searchFrequentWord: (n: number) => search(n, 'so'),
    searchRareWord: () => search(0, 'rare'),
    searchSession: (n: number) =>
      db.searchMessages(
        database,
        {
          projectId: id('project', n + 1),
          userId: id('user', n + 2),
          q: 'so',
          limit: 51,
          sessionId: id('session', n),
        },
        60_000,
      ),
    deleteSearchRows: (n: number) => db.deleteSearchRows(database, id('session', n), 10),
  };
}
