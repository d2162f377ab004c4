import type { Database } from '../client.ts';
import { isoFromText } from '../iso-time.ts';

export interface RecorderStart {
  /** One more than at the recorder's last start: a process that finds a newer one stops. */
  readonly epoch: number;
  /** The slots that the recorder held before, which are its own again. */
  readonly slots: readonly {
    readonly sessionId: string;
    readonly slot: number;
    readonly epoch: number;
  }[];
  /** How many intervals its predecessor left open: they now end where it had last stored all that it received. */
  readonly closedIntervals: number;
}

export interface RecorderQueries {
  /** Announces a recorder, new or started again. */
  startRecorder(recorder: { id: string; capacity: number }): Promise<RecorderStart>;
  /**
   * Says that the recorder lives; `flushedAt` (ISO 8601) is the time before which all that it received is stored, and
   * `standbyAt` when the oldest packet was received that it keeps in case another recorder does not store it. Gives false
   * when another process has started as this recorder: stop at once.
   */
  updateHeartbeat(heartbeat: {
    id: string;
    epoch: number;
    load: number;
    isDraining: boolean;
    flushedAt: string;
    standbyAt: string | null;
  }): Promise<boolean>;
  /** Has all recorders look at once whether there is something to do for them. */
  wakeRecorders(): Promise<void>;
  /**
   * Gives those of the sessions that the recorder may leave: because another hears them, `since` when (ISO 8601); or, with
   * null, because they are over, or there is nobody who could take over.
   */
  listHandedOver(
    recorderId: string,
    sessionIds: readonly string[],
  ): Promise<readonly { readonly sessionId: string; readonly since: string | null }[]>;
}

const START = `
with before as (select least(flushed_at, standby_at) as flushed_at from recorders where id = $1),
closed as (
  update recording_intervals i set to_at = greatest(i.from_at, b.flushed_at), end_reason = 'recorder_died'
  from before b where i.recorder_id = $1 and i.to_at is null returning 1
), mine as (
  insert into recorders as r (id, capacity) values ($1, $2)
  on conflict (id) do update set epoch = r.epoch + 1, capacity = excluded.capacity, load = 0, draining = false,
    started_at = now(), heartbeat_at = now(), flushed_at = now(), standby_at = null
  returning r.epoch
), back as (
  update recording_assignments a
  set status = 'connecting', epoch = a.epoch + 1, connected_at = null, attempts = 0, failure = null
  where a.recorder_id = $1 returning a.session_id, a.slot, a.epoch
)
select m.epoch as "myEpoch", b.session_id as "sessionId", b.slot, b.epoch, (select count(*) from closed)::int as closed
from mine m left join back b on true`;

// A heartbeat that a crash of PostgreSQL loses is worth nothing: it need not wait for the disk.
const HEARTBEAT = `
update recorders set heartbeat_at = now(), load = $3, draining = $4, flushed_at = $5, standby_at = $6
where id = $1 and epoch = $2 and (select set_config('synchronous_commit', 'off', true)) is not null returning id`;

const HANDED_OVER = `
with others as materialized (
  select id from recorders where id <> $1 and not draining and heartbeat_at > now() - interval '15 s')
select w.id as "sessionId", h.since
from unnest($2::uuid[]) w (id)
left join lateral (
  select min(i.from_at) as since from recording_intervals i
  where i.session_id = w.id and i.to_at is null and i.recorder_id in (select id from others)) h on true
where h.since is not null or not exists (select from others)
  or not exists (select from sessions s where s.id = w.id and s.status = 'ACTIVE')`;

/** Gives the statements on `recorders`; they are prepared at their first use on each connection. */
export function prepareRecorderQueries({ sql }: Pick<Database, 'sql'>): RecorderQueries {
  const prepare = true;
  return {
    async startRecorder({ id, capacity }) {
      const rows = await sql.unsafe<Started[]>(START, [id, capacity], { prepare });
      const [first] = rows;
      if (!first) throw new Error('a recorder that starts has a row');
      const slots = rows.flatMap(({ sessionId, slot, epoch }) =>
        sessionId === null ? [] : { sessionId, slot, epoch: Number(epoch) },
      );
      return { epoch: Number(first.myEpoch), slots, closedIntervals: first.closed };
    },
    async updateHeartbeat({ id, epoch, load, isDraining, flushedAt, standbyAt }) {
      const parameters = [id, epoch, load, isDraining, flushedAt, standbyAt];
      const rows = await sql.unsafe(HEARTBEAT, parameters, { prepare });
      return rows.length === 1;
    },
    async wakeRecorders() {
      await sql.unsafe(`select pg_notify('session_changed', '')`, [], { prepare });
    },
    async listHandedOver(recorderId, sessionIds) {
      interface Row {
        sessionId: string;
        since: string | null;
      }
      const rows = await sql.unsafe<Row[]>(HANDED_OVER, [recorderId, sessionIds], { prepare });
      return rows.map(({ sessionId, since }) => ({
        sessionId,
        since: since && isoFromText(since),
      }));
    },
  };
}

interface Started {
  readonly myEpoch: string;
  readonly sessionId: string | null;
  readonly slot: number;
  readonly epoch: string;
  readonly closed: number;
}
