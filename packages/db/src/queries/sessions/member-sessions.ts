/** The sessions of the user's projects, as `session`, with their heads. A condition on `membership.user_id` must follow. */
export const SESSIONS_OF_MEMBER = `
from memberships membership
join sessions session
  on session.project_id = membership.project_id and session.deleted_at is null
join session_heads head on head.session_id = session.id`;

function newest(column: string): string {
  return `(
    select newest.${column} from messages newest
    where newest.session_id = head.session_id and newest.${column} is not null
    order by newest.${column} desc limit 1
  )`;
}

/**
 * When the newest message of `head` was stored, completed or imported; null without one. The head itself may be at an event.
 */
export const NEWEST_MESSAGE_AT = `greatest(${newest('"timestamp"')}, ${newest('completed_at')})`;
