import { NIL } from 'uuid';
import { SEARCH_FOLLOWER_ID } from '../src/queries/followers/follower-claims.ts';
import { markFollowersFrom } from '../src/queries/followers/follower-marks.ts';
import { claimSearchSessions, fillSearchIndex } from '../src/queries/followers/search-index.ts';
import { reindexSessions } from '../src/queries/followers/search-language.ts';
import type { DatabaseAccess } from '../src/statement/statement.ts';

/** Stores the follower that the migrations make, where a test has deleted all rows. */
export async function addSearchFollower({ sql }: DatabaseAccess): Promise<void> {
  await sql`
    insert into followers (id, kind, project_id, starts_at, retry_at)
    values (${SEARCH_FOLLOWER_ID}, 'search', null, 'epoch', 'infinity')
    on conflict do nothing`;
}

/** Fills the search index with all that is stored. */
export async function fillAll(database: DatabaseAccess): Promise<void> {
  await addSearchFollower(database);
  while ((await reindexSessions(database)) !== undefined);
  let after: string | null = NIL;
  while (after !== null) after = (await markFollowersFrom(database, after, 1000)).last;
  for (;;) {
    const claims = await claimSearchSessions(database, 60_000);
    if (claims.length === 0) return;
    await fillSearchIndex(database, claims);
  }
}
