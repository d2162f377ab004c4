/**
 * Whether the time of the next attempt of `row`, a slot or a position of a follower, has come. The column rounds to
 * milliseconds: what was stored just now may be half a millisecond in the future, and a woken process would find nothing.
 */
export function isDue(row: string): string {
  return `${row}.next_attempt_at <= now() + interval '0.5 ms'`;
}
