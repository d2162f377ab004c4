import type { Sql } from 'postgres';
import { v7 as uuidv7 } from 'uuid';
import { startRecorder } from '../src/queries/recording/recorders.ts';
import { endInterval, insertInterval } from '../src/queries/recording/recording-intervals.ts';
import { claimSlots, type SlotKey } from '../src/queries/recording/slots.ts';
import type { DatabaseAccess } from '../src/statement/statement.ts';

/**
 * Starts a recorder, and returns its id. Without a `roomLimit` it may record any number of rooms. It is alive for an hour,
 * however long a test takes, because a recorder would otherwise be late after 2 s.
 */
export async function addRecorder(
  database: DatabaseAccess,
  capacity = 100,
  roomLimit: number | null = null,
): Promise<string> {
  const id = uuidv7();
  await startRecorder(database, { id, capacity, roomLimit });
  await ageHeartbeat(database, id, -3_600_000);
  return id;
}

/** Makes the last heartbeat of a recorder `ageMs` old, measured from the start of the transaction. */
export async function ageHeartbeat(
  { sql }: { sql: Pick<Sql, 'unsafe'> },
  recorderId: string,
  ageMs: number,
): Promise<void> {
  await sql.unsafe(
    `update recorders set heartbeat_at = now() - $2::int * interval '1 ms' where id = $1`,
    [recorderId, ageMs],
  );
}

/** Claims all free slots for a recorder, and returns the key of the slot of `sessionId`. */
export async function claimSlot(
  database: DatabaseAccess,
  recorderId: string,
  sessionId: string,
): Promise<SlotKey> {
  const claim = { recorderId, limit: 1000, capacity: 1000 };
  const claimed = await claimSlots(database, claim);
  const slot = claimed.find((candidate) => candidate.sessionId === sessionId);
  if (!slot) throw new Error(`no slot of session ${sessionId} could be claimed`);
  return { sessionId, slotNumber: slot.slotNumber, recorderId, epoch: slot.epoch };
}

/** Opens an interval of a recorder, and returns its id; ends it at `toAt` if that is given. Times are ISO 8601. */
export async function addInterval(
  database: DatabaseAccess,
  interval: {
    sessionId: string;
    recorderId: string;
    fromAt: string;
    toAt?: string;
    endReason?: string;
  },
): Promise<string> {
  const { sessionId, recorderId, fromAt, toAt, endReason = 'connection_lost' } = interval;
  const id = uuidv7();
  await insertInterval(database, { sessionId, id, recorderId, fromAt });
  if (toAt) await endInterval(database, { sessionId, id, toAt, endReason });
  return id;
}
