import { CONNECTIONS } from '../../connection/connections.ts';
import { allRows, onlyRow } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';
import { isAlive, isDead, isLate } from '../recorder-liveness.ts';
import { SLOT_STATUS, UNRECORDED_AFTER } from '../recording-state.ts';

/**
 * - `unrecorded`: sessions, ACTIVE for at least 15 s, that no recorder records now; by the state of the best slot.
 * - `underRecorded`: sessions, ACTIVE for at least 15 s, that at least one recorder records, but fewer than required.
 * - `unclaimedSlots`: slots of ACTIVE sessions that no live recorder holds.
 */
export interface RecordingCounts {
  readonly active: number;
  readonly unrecorded: Readonly<Record<'lost' | 'reconnecting' | 'waiting', number>>;
  readonly underRecorded: number;
  readonly unclaimedSlots: number;
}

/**
 * `late`: without a heartbeat for 2 s. `dead`: not draining, and the last heartbeat is between 15 s and an hour old.
 */
export type RecorderLiveness = 'dead' | 'draining' | 'late' | 'live';

type RecordingRow = Omit<RecordingCounts, 'unrecorded'> & RecordingCounts['unrecorded'];

// Reads every slot once, because a look-up for each session would take four times as long.
export const countRecording = statement(
  'count_recording',
  () => [],
  (rows: RecordingRow[]): RecordingCounts => {
    const { lost, reconnecting, waiting, ...counts } = onlyRow(rows);
    return { ...counts, unrecorded: { lost, reconnecting, waiting } };
  },
)`
with session_state as (
  select
    session.created_at < now() - ${UNRECORDED_AFTER} as is_due,
    count(slot.session_id) as slots,
    count(*) filter (where slot.session_id is not null and recorder.id is null) as unclaimed,
    count(*) filter (where ${SLOT_STATUS} = 'recording') as recording,
    count(*) filter (where ${SLOT_STATUS} = 'reconnecting') as reconnecting,
    count(*) filter (where ${SLOT_STATUS} = 'lost') as lost
  from sessions session
  left join recording_assignments slot on slot.session_id = session.id
  left join recorders recorder on recorder.id = slot.recorder_id and ${isAlive('recorder')}
  where session.status = 'ACTIVE'
    and session.deleted_at is null
  group by session.id
)
select
  count(*)::int as active,
  coalesce(sum(unclaimed), 0)::int as "unclaimedSlots",
  count(*) filter (where is_due and recording between 1 and slots - 1)::int as "underRecorded",
  count(*) filter (where is_due and recording = 0 and reconnecting > 0)::int as reconnecting,
  count(*) filter (
    where is_due and recording = 0 and reconnecting = 0 and (lost < slots or slots = 0)
  )::int as waiting,
  count(*) filter (
    where is_due and recording = 0 and reconnecting = 0 and lost = slots and slots > 0
  )::int as lost
from session_state`;

// The row of a recorder that never comes back stays, so a dead recorder counts for an hour.
export const countRecorders = statement(
  'count_recorders',
  () => [],
  allRows<{ state: RecorderLiveness; count: number }>,
)`
select state, count(*)::int as count
from (
  select
    case
      when ${isDead('recorder')} then 'dead'
      when recorder.draining then 'draining'
      when ${isLate('recorder')} then 'late'
      else 'live'
    end as state
  from recorders recorder
  where ${isAlive('recorder')}
    or (not recorder.draining and recorder.heartbeat_at > now() - interval '1 h')
) recorder_state
group by state`;

export const countAgents = statement(
  'count_agents',
  () => [],
  allRows<{ status: 'Starting' | 'Running'; count: number }>,
)`
select status, count(*)::int as count from agents where status <> 'Stopped' group by status`;

export const countConnections = statement(
  'count_connections',
  (applicationName: string) => [applicationName],
  allRows<{ state: string; count: number }>,
)`
select coalesce(state, 'unknown') as state, count(*)::int as count
from ${CONNECTIONS}
where application_name = $1
group by 1`;
