/**
 * Returns the condition that the version of a message, or the event, at a position of a session still exists. If the
 * version was erased or deleted, a receiver's answer must not be kept, because the answer may repeat its words. A
 * pending text that has grown since still exists, because its time is the same.
 */
export function isVersionLeft(session: string, seenAt: string): string {
  const message = (position: string) => `exists (
      select from session_heads kept_in
      join messages kept on kept.session_id = kept_in.session_id
      where kept_in.session_id = ${session} and kept.${position} = ${seenAt} and kept.erased_at is null
    )`;
  return `(
    ${message('"timestamp"')}
    or ${message('completed_at')}
    or exists (select from session_events kept where kept.session_id = ${session} and kept.seen_at = ${seenAt})
  )`;
}
