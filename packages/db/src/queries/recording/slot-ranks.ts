import { rowCount } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';
import { isDead } from '../recorder-liveness.ts';

// The rank of a slot is the newest message of its session (`last_message_at`): claims take the busiest slots first. A slot
// is ranked when its recorder gives it back. The slots of a dead or draining recorder are ranked by the first recorder that
// finds them, all of one recorder at once. Without ranks each claim would read and sort all slots of all such recorders.

const RANKED_FOR = `interval '10 s'`;

function lastMessage(slot: string): string {
  return `(
    select head.last_at from session_heads head
    where head.session_id = ${slot}.session_id and head.message_count > 0
  )`;
}

export function setLastMessage(slot: string): string {
  return `last_message_at = ${lastMessage(slot)}`;
}

export function isUnranked(recorder: string): string {
  return `
    (${recorder}.slots_ranked_at is null or ${recorder}.slots_ranked_at <= now() - ${RANKED_FOR})
    and (
      select true from recording_assignments held where held.recorder_id = ${recorder}.id limit 1
    )`;
}

/**
 * Ranks the slots of one recorder that is draining or, with `fromDead`, dead, if there is such a recorder. Waits for no
 * lock: slots that another claim has locked need no rank.
 */
export const RANK_SLOTS = statement('rank_slots', (fromDead: boolean) => [fromDead], rowCount)`
with unranked as materialized (
  select recorder.id from recorders recorder
  where (recorder.draining or ($1 and ${isDead('recorder')}))
    and ${isUnranked('recorder')}
  limit 1
  for no key update skip locked
), ranked as (
  update recording_assignments slot set ${setLastMessage('slot')}
  where slot.recorder_id = (select unranked.id from unranked)
    -- Not a join, for which PostgreSQL might read the whole table.
    and slot.session_id = any (array(
      select held.session_id from recording_assignments held
      where held.recorder_id = (select unranked.id from unranked)
        and held.last_message_at is distinct from ${lastMessage('held')}
      for no key update skip locked
    ))
)
update recorders recorder set slots_ranked_at = now()
from unranked
where recorder.id = unranked.id
returning 1`;
