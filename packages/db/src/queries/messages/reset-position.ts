function lastOf(table: string, column: string, condition = ''): string {
  return `(
          select stored.${column} from ${table} stored
          where stored.session_id = $1 and stored.${column} <= restore.floor_at${condition}
          order by stored.${column} desc limit 1
        )`;
}

/**
 * Returns an expression for the position where a reader of the session `$1` goes on after a reset, and null for one that at `since`
 * has read nothing that a restore lost. `session` and `head` are its rows.
 *
 * Nothing is stored at or below a floor any more, so what is left of a session ends with its last position there, whatever the clocks
 * said. The reader goes on at the floor, not at that end: otherwise a client that never goes back would be reset for ever.
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
