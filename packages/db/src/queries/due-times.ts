/**
 * Returns the condition that the next attempt of `row`, a slot or a follower's position, is due. The column rounds to
 * milliseconds, so a time that was just stored may be half a millisecond ahead. Without the tolerance, a woken process
 * would find nothing.
 */
export function isDue(row: string): string {
  return `${row}.next_attempt_at <= now() + interval '0.5 ms'`;
}
