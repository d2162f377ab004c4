function lastOf(table: string, column: string, condition = ''): string {
  return `(
          select stored.${column} from ${table} stored
          where stored.session_id = $1 and stored.${column} <= restore.floor_at${condition}
          order by stored.${column} desc limit 1
        )`;
}

/**
 * Returns an expression for the end of what a restore left of the session `$1`, when `since` is later, and null for all other readers.
 * Nothing is stored at or below a floor any more, so what is left of a session ends with its last position there, whatever the clocks
 * said. `session` and `head` are its rows.
 */
export function restoredEnd(since: string): string {
  return `(
    select min(restored.end_at)
    from (
      select greatest(
        session.created_at,
        case when head.last_at <= restore.floor_at then head.last_at end,
        ${lastOf('messages', '"timestamp"', ' and stored.completed_at is null')},
        ${lastOf('messages', 'completed_at')},
        ${lastOf('session_events', 'seen_at')}
      ) as end_at
      from restores restore
      where ${since}::timestamptz <= restore.floor_at
    ) restored
    where ${since}::timestamptz > restored.end_at
  )`;
}
