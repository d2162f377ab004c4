import { allRows } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import {
  byCreation,
  type ListedSessionRow,
  listText,
  type MatchParameters,
  matches,
  type PageParameters,
  type SessionOrder,
  withinList,
} from './session-lists.ts';
import type { SessionStatus } from './sessions.ts';

/** The most sessions of an end user that are read for one page. Each is looked up by its id, which takes longer than a walk. */
export const WALKED_END_USER_SESSIONS = 5000;

type EndUserParameters = [
  ...PageParameters,
  ...MatchParameters,
  status: SessionStatus | null,
  endUserId: string,
];

function walkText(order: SessionOrder): string {
  return listText(
    `
    select walked.id, walked.place, walked.is_match
    from (
      select
        participant.id,
        participant.created_at,
        participant.is_match,
        row_number() over (order by ${byCreation('participant', order)}) as place
      from (
        select
          participant.session_id as id,
          participant.session_created_at as created_at,
          session.is_match
        from session_end_users participant
        cross join lateral (
          select
            ${matches('$7', '$8')}
              and ($9::text is null or session.status = $9) as is_match
          from sessions session
          where session.id = participant.session_id
            and session.deleted_at is null
          limit 1
        ) session
        where participant.project_id = $1
          and participant.user_id = $10
          and ${withinList(order, 'participant.session_created_at', 'participant.session_id')}
        order by participant.session_created_at ${order}, participant.session_id ${order}
        limit (select ${WALKED_END_USER_SESSIONS})
      ) participant
    ) walked
    where walked.is_match or walked.place = ${WALKED_END_USER_SESSIONS}
    order by ${byCreation('walked', order)}
    limit $3`,
    order,
  );
}

export const WALK_SESSIONS_OF_END_USER = statement(
  'walk_sessions_of_end_user',
  (...parameters: EndUserParameters) => parameters,
  allRows<ListedSessionRow>,
)`${walkText('desc')}`;

export const WALK_SESSIONS_OF_END_USER_FROM_OLDEST = statement(
  'walk_sessions_of_end_user_from_oldest',
  (...parameters: EndUserParameters) => parameters,
  allRows<ListedSessionRow>,
)`${walkText('asc')}`;

const WALKS = {
  asc: WALK_SESSIONS_OF_END_USER_FROM_OLDEST,
  desc: WALK_SESSIONS_OF_END_USER,
} as const satisfies Record<SessionOrder, object>;

/**
 * Returns the rows of a walk through the sessions of an end user. The last row may only be the place where the walk ended.
 */
export async function walkSessionsOfEndUser(
  database: DatabaseAccess,
  order: SessionOrder,
  ...parameters: EndUserParameters
): Promise<readonly ListedSessionRow[]> {
  return await WALKS[order](database, ...parameters);
}
