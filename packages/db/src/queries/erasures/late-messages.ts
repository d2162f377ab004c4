import { senderOf } from '@session/contract/room';
import { isoFromText } from '../../columns/iso-time.ts';
import type { NewMessageRow } from '../../schema/messages.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import type { ErasureScope } from './erasures.ts';

/**
 * A message that is stored this long after its receipt has waited, on a recorder's disk perhaps. What is stored sooner is found by the
 * erasure itself.
 */
const LATE_MS = 2000;

/** `requestedAt`: milliseconds since 1970. */
export interface ForgottenScope extends ErasureScope {
  readonly requestedAt: number;
}

type SentMessage = Pick<NewMessageRow, 'id' | 'metadata' | 'receivedAt' | 'sessionId'>;

/** Returns whether an erasure is about this message, by what is known of it before it is stored. */
export function isForgotten(
  { sessionId, messageIds, identity, userId, requestedAt }: ForgottenScope,
  message: SentMessage,
): boolean {
  if (message.receivedAt > requestedAt) return false;
  if (sessionId !== null && message.sessionId.toLowerCase() !== sessionId) return false;
  if (messageIds !== null) return messageIds.includes(message.id.toLowerCase());
  const person = userId === null ? identity : `user-${userId}`;
  return person === null || sendersOf(message.metadata).includes(senderOf(person));
}

/** The sender, or all who may have sent the message. */
function sendersOf(metadata: object | null): string[] {
  const { participant, candidates }: { participant?: unknown; candidates?: unknown } =
    metadata ?? {};
  const identity = Object(participant).identity;
  const listed: unknown[] = Array.isArray(candidates) ? candidates : [];
  return [identity, ...listed].flatMap((one) => (typeof one === 'string' ? senderOf(one) : []));
}

export const LIST_ERASED_PEOPLE = statement<
  [sessionIds: readonly string[], since: string],
  {
    readonly sessionId: string;
    readonly identity: string | null;
    readonly userId: string | null;
    readonly requestedAt: string;
  }
>(
  'list_erased_people',
  `
select
  session.id as "sessionId",
  erasure.identity,
  erasure.user_id as "userId",
  erasure.requested_at as "requestedAt"
from unnest($1::uuid[]) as asked (id)
join sessions session on session.id = asked.id
join erasures erasure
  on erasure.project_id = session.project_id
  and erasure.requested_at >= $2::timestamptz
where (erasure.session_id = session.id and erasure.identity is not null)
  or erasure.user_id is not null`,
);

/**
 * Returns the batch without the messages that were received before their sender was erased, and that have waited since. Those that did
 * not wait cost no statement.
 */
export async function withoutErased(
  database: DatabaseAccess,
  batch: readonly NewMessageRow[],
): Promise<readonly NewMessageRow[]> {
  const now = Date.now();
  const late = batch.filter(({ receivedAt }) => receivedAt < now - LATE_MS);
  if (late.length === 0) return batch;
  const since = late.reduce((oldest, { receivedAt }) => Math.min(oldest, receivedAt), now);
  const sessionIds = [...new Set(late.map(({ sessionId }) => sessionId))];
  const rows = await LIST_ERASED_PEOPLE.run(
    database,
    sessionIds,
    new Date(Math.max(0, since)).toISOString(),
  );
  if (rows.length === 0) return batch;
  const scopes = rows.map((row) => ({
    ...row,
    messageIds: null,
    requestedAt: Date.parse(isoFromText(row.requestedAt)),
  }));
  const isErased = (message: NewMessageRow) => scopes.some((scope) => isForgotten(scope, message));
  return batch.filter((message) => message.receivedAt >= now - LATE_MS || !isErased(message));
}
