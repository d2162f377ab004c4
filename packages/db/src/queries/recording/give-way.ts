import { statement } from '../../statement/statement.ts';
import {
  CLAIMED_COLUMNS,
  isChoice,
  isReplaceable,
  replaceableRecorders,
} from './claimable-slots.ts';
import { setLastMessage } from './slot-ranks.ts';

const MAX_MOVED = 16;

function isWaiting(slot: string): string {
  return `
    ${isChoice(slot)}
    and (select session.status from sessions session where session.id = ${slot}.session_id) = 'ACTIVE'
    and not exists (
      select from recording_assignments kept
      where kept.session_id = ${slot}.session_id
        and kept.recorder_id is not null
        and not ${isReplaceable('kept')}
    )`;
}

/**
 * Returns up to 16 of the sessions `among` that are ACTIVE, that no recorder keeps, and that may be claimed. With
 * `fromDead` false, sessions of dead recorders do not count as waiting.
 */
export const listWaitingSessions = statement(
  'list_waiting_sessions',
  (recorderId: string, among: readonly string[], fromDead: boolean) => [
    recorderId,
    among,
    fromDead,
  ],
  (rows: { readonly id: string }[]) => rows.map(({ id }) => id),
)`
with ${replaceableRecorders('$3')}
select slot.session_id as id
from recording_assignments slot
where slot.session_id = any ($2::uuid[]) and ${isWaiting('slot')}
limit ${MAX_MOVED}`;

/**
 * Releases slots of the recorder in `empty` sessions, and claims as many in `joined` sessions that wait, each in its
 * order. Returns the sessions that gave way. Takes no slot that another recorder keeps, or is just claiming.
 */
export const giveWay = statement(
  'give_way',
  (change: {
    recorderId: string;
    empty: readonly string[];
    joined: readonly string[];
    fromDead: boolean;
  }) => [change.recorderId, change.joined, change.fromDead, change.empty],
  (rows: { readonly id: string }[]) => rows.map(({ id }) => id),
)`
with ${replaceableRecorders('$3')}, waiting as materialized (
  select slot.session_id, slot.slot
  from recording_assignments slot
  where slot.session_id = any ($2::uuid[]) and ${isWaiting('slot')}
  order by array_position($2::uuid[], slot.session_id)
  limit ${MAX_MOVED}
  for update skip locked
), empty as materialized (
  select held.session_id, held.slot
  from recording_assignments held
  where held.session_id = any ($4::uuid[]) and held.recorder_id = $1
  order by array_position($4::uuid[], held.session_id)
  limit (select count(*) from waiting)
  for update skip locked
), moved as (
  select waiting.session_id, waiting.slot, waiting.position <= (select count(*) from empty) as is_taken
  from (select *, row_number() over () as position from waiting) waiting
), claimed as (
  update recording_assignments slot set ${CLAIMED_COLUMNS}
  from moved
  where slot.session_id = moved.session_id and slot.slot = moved.slot and moved.is_taken
)
update recording_assignments slot set
  status = 'waiting',
  recorder_id = null,
  connected_at = null,
  attempts = 0,
  failure = null,
  ${setLastMessage('slot')}
from empty
where slot.session_id = empty.session_id and slot.slot = empty.slot
returning slot.session_id as id`;
