/** The sessions of the user's projects, as `session`, with their heads. A condition on `membership.user_id` must follow. */
export const SESSIONS_OF_MEMBER = `
from memberships membership
join sessions session
  on session.project_id = membership.project_id and session.deleted_at is null
join session_heads head on head.session_id = session.id`;
