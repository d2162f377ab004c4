import type { Database } from '../client.ts';
import { isoFromText } from '../iso-time.ts';
import type { recordingAssignments } from '../schema/recording-assignments.ts';
import type { SessionStatus } from './sessions.ts';

/** A slot as its recorder holds it: who writes with another epoch has lost it. */
export interface SlotKey {
  readonly sessionId: string;
  readonly slot: number;
  readonly recorderId: string;
  readonly epoch: number;
}

export interface SlotRow {
  readonly sessionId: string;
  readonly slot: number;
  readonly epoch: number;
  readonly sessionStatus: SessionStatus;
}

export interface ListedSlotRow extends SlotRow {
  /** The recorder's open interval; null when there is none: others end those of a recorder that they took for dead. */
  readonly intervalId: string | null;
  /**
   * ISO 8601: all is stored that was received before this by the recorder that has heard the session longest. Null when
   * this is the one, and all that those before it have received is stored; it means nothing without an open interval.
   */
  readonly firstFlushedAt: string | null;
  /** ISO 8601: since when that one still keeps messages itself, in case another does not store them; null: it keeps none. */
  readonly firstStandbyAt: string | null;
}

export type SlotStatus = (typeof recordingAssignments.$inferSelect)['status'];

export interface SlotQueries {
  /**
   * Makes the slots that ACTIVE sessions lack of so many each, and removes those that are more and that nobody alive
   * holds.
   */
  provideSlots(redundancy: number): Promise<void>;
  /**
   * Takes up to `limit` free slots, or slots of recorders that are dead or draining, at most one of a session, and ends the
   * intervals that a dead one left open; with `fromDead` false, no dead one's. Capacity is soft: it does not limit where no
   * other live recorder has room that does not hold the session already. To be repeated while it gives slots; never two at a time in one process.
   */
  claimSlots(claim: {
    recorderId: string;
    limit: number;
    capacity: number;
    fromDead?: boolean;
  }): Promise<SlotRow[]>;
  /**
   * Gives the recorder's slots: one that is missing was taken by another, or its session deleted. None to a process whose
   * epoch is passed: they are another's, under the same id.
   */
  listSlots(recorderId: string, recorderEpoch: number): Promise<ListedSlotRow[]>;
  /** Says how a slot stands; `connectedAt` is ISO 8601. Gives false when the slot is lost. */
  updateSlot(
    key: SlotKey,
    state: {
      status: Exclude<SlotStatus, 'lost'>;
      connectedAt: string | null;
      attempts: number;
      failure: string | null;
    },
  ): Promise<boolean>;
  /** Gives a slot up after its last failed attempt: any recorder can claim it 15 s later. False when it is lost already. */
  giveUpSlot(key: SlotKey, attempts: number, failure: string): Promise<boolean>;
  /** Frees a slot for the other recorders at once. False when it is lost already. */
  releaseSlot(key: SlotKey): Promise<boolean>;
  /** Removes the slot of a session that is over. False when it is lost already. */
  deleteSlot(key: SlotKey): Promise<boolean>;
}

const DEAD_OR_FREE = `(a.recorder_id is null or exists (
  select from recorders r where r.id = a.recorder_id and r.heartbeat_at <= now() - interval '15 s'))`;

// In the order of their keys: two that make the same slots at once must not wait for each other.
const PROVIDE = `
with surplus as (delete from recording_assignments a where a.slot >= $1 and ${DEAD_OR_FREE})
insert into recording_assignments (session_id, slot)
select a.session_id, n from recording_assignments a
join sessions s on s.id = a.session_id and s.status = 'ACTIVE'
cross join generate_series(1, $1::smallint - 1) n
where a.slot = 0 and not exists (
  select from recording_assignments o where o.session_id = a.session_id and o.slot = n)
order by 1, 2 on conflict do nothing`;

const CLAIM = `
with d as materialized (
  select array(select id from recorders where draining or ($4 and heartbeat_at <= now() - interval '15 s')) as ids
), mine as materialized (
  select count(*) as load from recording_assignments where recorder_id = $1
), claimed as (
  update recording_assignments a
  set recorder_id = $1, epoch = a.epoch + 1, status = 'connecting', connected_at = null, attempts = 0, failure = null
  from (select f.session_id, f.slot, f.recorder_id as previous from recording_assignments f
        where (f.recorder_id is null or f.recorder_id = any ((select ids from d)::uuid[])) and f.next_attempt_at <= now()
          and not exists (select from recording_assignments o where o.session_id = f.session_id and (o.recorder_id = $1
            or (o.slot < f.slot and o.next_attempt_at <= now()
              and (o.recorder_id is null or o.recorder_id = any ((select ids from d)::uuid[])))))
          and ((select load from mine) < $3 or not exists (select from recorders r
            where r.id <> $1 and not r.draining and r.heartbeat_at > now() - interval '15 s' and r.load < r.capacity
              and not exists (select from recording_assignments h where h.session_id = f.session_id and h.recorder_id = r.id)))
        order by f.next_attempt_at
        limit (select case when load < $3 then least($2, $3 - load) else $2 end from mine)
        for update of f skip locked) c
  where a.session_id = c.session_id and a.slot = c.slot
    and exists (select from recorders r
      where r.id = $1 and not r.draining and r.heartbeat_at > now() - interval '15 s')
  returning a.session_id, a.slot, a.epoch, c.previous
), closed as (   -- what a dead recorder left open ends where it had last stored all that it received
  update recording_intervals i set to_at = greatest(i.from_at, least(r.flushed_at, r.standby_at)), end_reason = 'recorder_died'
  from claimed c join recorders r on r.id = c.previous and r.heartbeat_at <= now() - interval '15 s'
  where i.session_id = c.session_id and i.recorder_id = c.previous and i.to_at is null
)
select c.session_id as "sessionId", c.slot, c.epoch, s.status as "sessionStatus"
from claimed c join sessions s on s.id = c.session_id`;

const LIST = `
select a.session_id as "sessionId", a.slot, a.epoch, s.status as "sessionStatus", m.id as "intervalId",
  e.flushed_at as "firstFlushedAt", e.standby_at as "firstStandbyAt"
from recording_assignments a
join sessions s on s.id = a.session_id
join recorders r on r.id = a.recorder_id and r.epoch = $2
left join lateral (
  select i.id, i.opened_at from recording_intervals i
  where i.session_id = a.session_id and i.recorder_id = $1 and i.to_at is null order by i.opened_at limit 1) m on true
left join lateral (
  select o.flushed_at, o.standby_at from recording_intervals i join recorders o on o.id = i.recorder_id
  where i.session_id = a.session_id and i.recorder_id <> $1 and (i.opened_at, i.id) < (m.opened_at, m.id)
    and (i.to_at is null or (o.flushed_at < i.to_at and o.heartbeat_at > now() - interval '15 s'))
  order by i.opened_at, i.id limit 1) e on true
where a.recorder_id = $1`;

const KEY = 'where session_id = $1 and slot = $2 and recorder_id = $3 and epoch = $4';

const UPDATE = `
update recording_assignments set status = $5, connected_at = $6, attempts = $7, failure = $8 ${KEY} returning 1`;

const GIVE_UP = `
update recording_assignments set status = 'lost', recorder_id = null, connected_at = null, attempts = $5, failure = $6,
  next_attempt_at = now() + interval '15 s' ${KEY} returning 1`;

const RELEASE = `
update recording_assignments set status = 'waiting', recorder_id = null, connected_at = null, attempts = 0, failure = null
${KEY} returning 1`;

const DELETE = `delete from recording_assignments ${KEY} returning 1`;

/** Gives the statements on `recording_assignments`; they are prepared at their first use on each connection. */
export function prepareSlotQueries({ sql }: Pick<Database, 'sql'>): SlotQueries {
  const prepare = true;
  type Stored<Slot extends SlotRow> = Omit<Slot, 'epoch'> & { epoch: string };
  const held = <Slot extends SlotRow>(slot: Stored<Slot>) => ({
    ...slot,
    epoch: Number(slot.epoch),
  });
  const change = async (text: string, key: SlotKey, values: (string | number | null)[] = []) => {
    const parameters = [key.sessionId, key.slot, key.recorderId, key.epoch, ...values];
    return (await sql.unsafe(text, parameters, { prepare })).length === 1;
  };
  return {
    async provideSlots(redundancy) {
      await sql.unsafe(PROVIDE, [redundancy], { prepare });
    },
    async claimSlots({ recorderId, limit, capacity, fromDead = true }) {
      const parameters = [recorderId, limit, capacity, fromDead];
      return (await sql.unsafe<Stored<SlotRow>[]>(CLAIM, parameters, { prepare })).map(held);
    },
    async listSlots(recorderId, recorderEpoch) {
      const parameters = [recorderId, recorderEpoch];
      const rows = await sql.unsafe<Stored<ListedSlotRow>[]>(LIST, parameters, { prepare });
      return rows.map((row) => ({
        ...row,
        epoch: Number(row.epoch),
        firstFlushedAt: row.firstFlushedAt && isoFromText(row.firstFlushedAt),
        firstStandbyAt: row.firstStandbyAt && isoFromText(row.firstStandbyAt),
      }));
    },
    updateSlot: (key, { status, connectedAt, attempts, failure }) =>
      change(UPDATE, key, [status, connectedAt, attempts, failure]),
    giveUpSlot: (key, attempts, failure) => change(GIVE_UP, key, [attempts, failure]),
    releaseSlot: (key) => change(RELEASE, key),
    deleteSlot: (key) => change(DELETE, key),
  };
}
