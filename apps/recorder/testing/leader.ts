import { insertInterval, startRecorder } from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import type { TestStage } from './stage.ts';

/** A recorder that leads a session, as rows of the database only: it does nothing but what a test makes it do. */
export interface TestLeader {
  readonly recorderId: string;
  /** Reports that the leader has stored everything it received before `at` (milliseconds since the epoch). */
  readonly flushed: (at: number) => Promise<void>;
}

/** Adds a live recorder whose interval in the session begins now. */
export async function addTestLeader(
  { database }: TestStage,
  sessionId: string,
): Promise<TestLeader> {
  const { sql } = database;
  const recorderId = uuidv7();
  await startRecorder(database, { id: recorderId, capacity: 9 });
  await sql`update recorders set heartbeat_at = now() + interval '1 h' where id = ${recorderId}`;
  const fromAt = new Date().toISOString();
  const interval = { sessionId, id: uuidv7(), recorderId, fromAt };
  await insertInterval(database, interval);
  return {
    recorderId,
    async flushed(at) {
      const flushedAt = new Date(at).toISOString();
      await sql`update recorders set flushed_at = ${flushedAt} where id = ${recorderId}`;
    },
  };
}

/** Makes a recorder look dead: its last heartbeat was 16 s ago. */
export async function makeDead({ database }: TestStage, recorderId: string): Promise<void> {
  await database.sql`
    update recorders set heartbeat_at = now() - interval '16 s' where id = ${recorderId}`;
}
