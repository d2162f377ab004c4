import { prepareRecorderQueries, prepareRecordingIntervalQueries } from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import type { TestStage } from './test-stage.ts';

/** A recorder that has heard a session longest, as the database knows it: it does nothing but what a test lets it do. */
export interface First {
  readonly recorderId: string;
  /** Tells that it has stored all that it received before `at`, in milliseconds since the epoch. */
  readonly flushed: (at: number) => Promise<void>;
}

/** Lets a recorder that lives begin to hear the session. */
export async function hearFirst({ database }: TestStage, sessionId: string): Promise<First> {
  const { sql } = database;
  const recorderId = uuidv7();
  await prepareRecorderQueries(database).startRecorder({ id: recorderId, capacity: 9 });
  await sql`update recorders set heartbeat_at = now() + interval '1 h' where id = ${recorderId}`;
  const fromAt = new Date().toISOString();
  const interval = { sessionId, id: uuidv7(), recorderId, fromAt };
  await prepareRecordingIntervalQueries(database).insertInterval(interval);
  return {
    recorderId,
    async flushed(at) {
      const flushedAt = new Date(at).toISOString();
      await sql`update recorders set flushed_at = ${flushedAt} where id = ${recorderId}`;
    },
  };
}

/** Lets a recorder be one that nobody has heard of for 16 s. */
export async function die({ database }: TestStage, recorderId: string): Promise<void> {
  await database.sql`
    update recorders set heartbeat_at = now() - interval '16 s' where id = ${recorderId}`;
}
