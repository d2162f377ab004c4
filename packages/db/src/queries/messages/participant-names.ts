import { statement } from '../../statement/statement.ts';

export interface WantedNames {
  readonly userIds: readonly string[];
  readonly joins: readonly { readonly sessionId: string; readonly messageId: string }[];
}

export interface KnownName {
  readonly name: string;
  readonly externalId?: string;
}

/**
 * Returns the names of users by user id, with the customer's id, and the names of joins by message id, as far as they are
 * stored.
 */
export const listParticipantNames = statement(
  'list_participant_names',
  ({ userIds, joins }: WantedNames) => {
    const sessionIds = joins.map(({ sessionId }) => sessionId);
    const messageIds = joins.map(({ messageId }) => messageId);
    return [userIds, sessionIds, messageIds];
  },
  (rows: { id: string; name: string | null; externalId: string | null }[]) =>
    new Map(
      rows.map(({ id, name, externalId }) => [
        id,
        { name: name ?? '', ...(externalId !== null && { externalId }) },
      ]),
    ),
)`
select users.id, users.name, users.external_id as "externalId"
from users
where users.id = any($1::uuid[])
union all
select joined.id, joined.name, null
from unnest($2::uuid[], $3::uuid[]) as wanted (session_id, id)
cross join lateral (
  select message.id, message.metadata #>> '{participant,name}' as name
  from messages message
  where message.session_id = wanted.session_id
    and message.id = wanted.id
) joined`;
