import type { Database } from '../src/connection/client.ts';
import * as db from '../src/index.ts';
import { hearNumbers } from '../src/queries/followers/heard-numbers.ts';
import { manyRowsId as id } from './many-rows.ts';
import { numberedText, Q } from './sequences.ts';

/** The statements of the sequence numbers, on many rows: for the test of the use of indexes. */
export function sequenceSteps(database: Database) {
  return {
    foldSequences: async (n: number) => {
      await database.sql`
        update follower_positions set wanted = now(), next_attempt_at = 'epoch'
        where follower_id = ${db.SEQUENCE_FOLLOWER_ID} and session_id = ${id('session', n)}`;
      const claims = await db.claimSequenceSessions(database, 60_000);
      if (claims.length === 0) throw new Error('nothing is due');
      await db.foldSequences(database, claims, 60_000);
    },
    takeMissingNumbers: async (n: number) => {
      await database.sql`
        update sender_sequences set next_at = 'epoch' where session_id = ${id('session', n)}`;
      const waits = { againMs: 60_000, lastMs: 60_000 };
      const [taken] = await db.takeMissingNumbers(database, waits);
      if (!taken) throw new Error('nothing is missing');
      await db.declareMissingNumbers(database, { ...taken, lost: [[2, 2]] }, 60_000);
    },
    hearNumbers: (n: number) => hearNumbers(database, [numberedText(id('session', n), 2)]),
    noteLastNumbers: (n: number) =>
      db.noteLastNumbers(database, [{ sessionId: id('session', n), identity: 'x', q: Q, n: 3 }]),
    countMissingMessages: (n: number) =>
      db.countMissingMessages(database, [id('session', n), id('session', n + 1)]),
    countSequences: () => db.countFollowers(database, 'sequence'),
  };
}
