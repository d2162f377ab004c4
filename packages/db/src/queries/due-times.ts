/**
 * Whether the time of the next attempt of `row`, a slot or a follower's position, has come. The column rounds to
 * milliseconds: a time that was just stored may be half a millisecond in the future, and a woken process would find nothing.
 */
export function isDue(row: string): string {
  return `${row}.next_attempt_at <= now() + interval '0.5 ms'`;
}
