function lastOf(table: string, column: string, condition = ''): string {
  return `(
          select stored.${column} from ${table} stored
          where stored.session_id = $1 and stored.${column} <= restore.floor_at${condition}
          order by stored.${column} desc limit 1
        )`;
}

/**
 * Returns an expression for the position where a reader of the session `$1` continues after a reset; null for a reader that at
 * `since` has read nothing that a restore lost. `session` and `head` are the rows of the session. The reader continues at the
 * floor. After the restore nothing is stored at or before the floor, so no client is reset for ever.
 */
export function resetPosition(since: string): string {
  return `(
    select restored.floor_at
    from (
      select
        restore.floor_at,
        greatest(
          session.created_at,
          case when head.last_at <= restore.floor_at then head.last_at end,
          ${lastOf('messages', '"timestamp"', ' and stored.completed_at is null')},
          ${lastOf('messages', 'completed_at')},
          ${lastOf('session_events', 'seen_at')}
        ) as end_at
      from restores restore
      where restore.floor_at > ${since}::timestamptz
        -- A reader that was sent to a floor has read nothing behind it.
        and not exists (select from restores earlier where earlier.floor_at = ${since}::timestamptz)
      order by restore.floor_at
      limit 1
    ) restored
    where ${since}::timestamptz > restored.end_at
  )`;
}

/**
 * Returns an expression for the position where a reader of the row `session` continues if, at `since`, it had read some but
 * not all of what the project no longer keeps; null for every other reader. A reader behind the newest message counts as
 * having read everything, however old that message is. Otherwise a client that reads the session again would be reset for
 * ever.
 */
export function expiredPosition(since: string): string {
  return `case when ${since}::timestamptz > session.created_at and ${since}::timestamptz < session.history_from
    and ${since}::timestamptz < coalesce(
      (select kept."timestamp" from messages kept where kept.session_id = $1 order by kept."timestamp" desc limit 1),
      'infinity'
    )
    then session.history_from end`;
}
