import { allRows } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';
import { isDue } from '../due-times.ts';
import { isAlive, isDead } from '../recorder-liveness.ts';
import { isUnranked } from './slot-ranks.ts';

export function replaceableRecorders(fromDead: string): string {
  return `replaceable_recorder as materialized (
  select array(
    select recorder.id from recorders recorder
    where recorder.draining or (${fromDead} and ${isDead('recorder')})
  ) as ids
)`;
}

export function isReplaceable(slot: string): string {
  return `${slot}.recorder_id = any ((select ids from replaceable_recorder)::uuid[])`;
}

export function isFree(slot: string): string {
  return `${slot}.recorder_id is null and ${slot}.slot >= 0`;
}

export function isClaimable(slot: string): string {
  return `
    (${slot}.recorder_id is null or ${isReplaceable(slot)})
    and ${isDue(slot)}`;
}

/**
 * Returns the condition that chooses one slot of a session: none if the recorder `$1` holds one already, otherwise the
 * lowest that can be claimed.
 */
export function isChoice(slot: string): string {
  return `${isClaimable(slot)} and ${isFirstChoice(slot)}`;
}

/**
 * Like `isChoice`, for a slot known to be free or replaceable. Has no condition on the recorder, for which PostgreSQL might
 * read all free slots.
 */
export function isChoiceOfSession(slot: string): string {
  return `${isDue(slot)} and ${isFirstChoice(slot)}`;
}

function isFirstChoice(slot: string): string {
  return `not exists (
    select from recording_assignments sibling
    where sibling.session_id = ${slot}.session_id
      and (
        sibling.recorder_id = $1
        or (sibling.slot < ${slot}.slot and ${isClaimable('sibling')})
      )
  )`;
}

export const OWN_RECORDER = `own as materialized (
  select
    claimer.room_limit,
    (select count(*) from recording_assignments held where held.recorder_id = $1) as load
  from recorders claimer
  -- A recorder that the others take for dead must not claim what they would claim back at once.
  where claimer.id = $1 and not claimer.draining and ${isAlive('claimer')}
)`;

export const OTHER_RECORDERS = `other_recorder as materialized (
  select recorder.id, recorder.load, recorder.capacity, recorder.room_limit from recorders recorder
  where recorder.id <> $1 and not recorder.draining and ${isAlive('recorder')}
)`;

const HAS_ROOM = 'other_recorder.load < least(other_recorder.capacity, other_recorder.room_limit)';

export function isLeftByOthers(slot: string): string {
  return `not exists (
    select from other_recorder
    where ${HAS_ROOM}
      -- A scalar query, which reads an index for each session. The recorder is not a filter, or all its slots might be read.
      and (
        select bool_or(other_slot.recorder_id = other_recorder.id)
        from recording_assignments other_slot
        where other_slot.session_id = ${slot}.session_id
      ) is not true
  )`;
}

/**
 * Returns whether there is a slot to claim, and whether slots must first be ranked (`RANK_SLOTS`). It costs a fraction of a
 * claim, and after each notification nearly all recorders find no slot.
 */
export const HAS_CLAIMABLE_SLOT = statement(
  'has_claimable_slot',
  (recorderId: string, capacity: number, fromDead: boolean) => [recorderId, capacity, fromDead],
  allRows<{ readonly hasClaimable: boolean; readonly hasUnranked: boolean }>,
)`
with ${replaceableRecorders('$3')}, ${OWN_RECORDER}, ${OTHER_RECORDERS}
select
  case
    when not exists (select from own where own.room_limit is null or own.load < own.room_limit) then false
    when (select own.load from own) < $2
      or not exists (select from other_recorder where ${HAS_ROOM})
      then (
        select true from recording_assignments free
        where ${isFree('free')} and ${isChoiceOfSession('free')}
        limit 1
      ) is not null or exists (
        select from unnest((select ids from replaceable_recorder)) replaceable (id)
        where ${keepsChoice('replaceable')}
      )
    -- Beyond its capacity it may claim in sessions alone that each recorder with room holds: those of any one of them.
    else exists (
      select from recording_assignments held
      where held.recorder_id = (select other_recorder.id from other_recorder where ${HAS_ROOM} limit 1)
        and (
          select true from recording_assignments waiting
          where waiting.session_id = held.session_id and ${isChoice('waiting')}
          limit 1
        )
        and ${isLeftByOthers('held')}
    )
  end as "hasClaimable",
  exists (
    select from recorders recorder
    where recorder.id = any ((select ids from replaceable_recorder)::uuid[])
      and ${isUnranked('recorder')}
  ) as "hasUnranked"`;

export function keepsChoice(recorder: string): string {
  return `(
    select true from recording_assignments kept
    where kept.recorder_id = ${recorder}.id and ${isChoiceOfSession('kept')}
    limit 1
  )`;
}

export const CLAIMED_COLUMNS = `
    recorder_id = $1,
    epoch = slot.epoch + 1,
    status = 'connecting',
    connected_at = null,
    attempts = 0,
    failure = null`;
