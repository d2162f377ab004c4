import { NIL } from 'uuid';
import { SEQUENCE_FOLLOWER_ID } from '../src/queries/followers/follower-claims.ts';
import { markFollowersFrom } from '../src/queries/followers/follower-marks.ts';
import { claimSequenceSessions, foldSequences } from '../src/queries/followers/sequence-folds.ts';
import type { NewMessageRow } from '../src/schema/messages.ts';
import type { DatabaseAccess } from '../src/statement/statement.ts';
import { typedText } from './project.ts';

export const Q = 'k3x9qa7b';
export const ADA = 'user-0197a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a50';

/** Returns a text of Ada's, or of another identity, with its number. */
export function numberedText(
  sessionId: string,
  n: unknown,
  { q = Q, identity = `${ADA}-k3x9qa`, ...fields }: Record<string, unknown> = {},
): NewMessageRow {
  const participant = { identity, name: 'Ada', sid: 'PA_1', kind: 'standard' };
  const metadata = { kind: 'text', participant, rawId: 'x', seq: { q, n }, ...fields };
  return typedText(sessionId, { metadata });
}

/** Stores the follower that the migrations make, where a test has deleted all rows. */
export async function addSequenceFollower({ sql }: DatabaseAccess): Promise<void> {
  await sql`
    insert into followers (id, kind, project_id, starts_at, retry_at)
    values (${SEQUENCE_FOLLOWER_ID}, 'sequence', null, 'epoch', 'infinity')
    on conflict (id) do update set starts_at = 'epoch'`;
}

/** Folds all that is stored. */
export async function foldAll(database: DatabaseAccess, firstMs = 0): Promise<void> {
  await addSequenceFollower(database);
  let after: string | null = NIL;
  while (after !== null) after = (await markFollowersFrom(database, after, 1000)).last;
  for (;;) {
    const claims = await claimSequenceSessions(database, 60_000);
    if (claims.length === 0) return;
    await foldSequences(database, claims, firstMs);
  }
}
