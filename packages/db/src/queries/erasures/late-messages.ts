import { createHash } from 'node:crypto';
import { senderOf } from '@session/contract/room';
import type { NewMessageRow } from '../../schema/messages.ts';
import { allRows } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import type { ErasureScope } from './erasures.ts';

/**
 * A message that is stored this long after its receipt has waited, perhaps on a recorder's disk. The erasure itself finds
 * messages that are stored sooner, because it includes the 2 s after its request, and a session's clock is usually at most 1 s
 * ahead.
 */
const LATE_MS = 1000;

/** `id`: of the erasure. `requestedAt`: milliseconds since 1970. */
export interface ForgottenScope extends ErasureScope {
  readonly id: string;
  readonly requestedAt: number;
}

const HASHED = 'sha256:';

/**
 * Returns what the receipt of a finished erasure keeps of its participant: a hash that differs in each erasure. So
 * nobody can find all receipts of one person, but late messages of that person are recognized.
 */
export function hashedIdentity(erasureId: string, identity: string): string {
  // The receipt of an erasure that is repeated keeps what the first one kept.
  if (isHashedIdentity(identity)) return identity;
  const hash = createHash('sha256').update(`${erasureId} ${senderOf(identity)}`);
  return `${HASHED}${hash.digest('hex')}`;
}

export function isHashedIdentity(identity: string): boolean {
  return identity.startsWith(HASHED);
}

type SentMessage = Pick<NewMessageRow, 'id' | 'kind' | 'metadata' | 'receivedAt' | 'sessionId'>;

/**
 * Returns when a message was said. For a message that is sent again at the service's request, this is the time that its
 * sender reports.
 */
function saidAt({ metadata, receivedAt }: SentMessage): number {
  const { resent, spokenAt }: { resent?: unknown; spokenAt?: unknown } = metadata ?? {};
  return resent === true && typeof spokenAt === 'string'
    ? Math.min(Date.parse(spokenAt) || receivedAt, receivedAt)
    : receivedAt;
}

/** Returns whether an erasure covers this message, by what is known of it before it is stored. */
export function isForgotten(
  { id, sessionId, messageIds, identity, userId, requestedAt }: ForgottenScope,
  message: SentMessage,
): boolean {
  if (saidAt(message) > requestedAt) return false;
  if (sessionId !== null && message.sessionId.toLowerCase() !== sessionId) return false;
  if (messageIds !== null) return messageIds.includes(message.id.toLowerCase());
  const person = userId === null ? identity : `user-${userId}`;
  if (person === null) return true;
  const senders = sendersOf(message);
  return isHashedIdentity(person)
    ? senders.some((sender) => hashedIdentity(id, sender) === person)
    : senders.includes(senderOf(person));
}

interface NamingMetadata {
  readonly participant?: unknown;
  readonly candidates?: unknown;
  readonly identity?: unknown;
}

function sendersOf({ kind, metadata }: Pick<SentMessage, 'kind' | 'metadata'>): string[] {
  const { participant, candidates, identity }: NamingMetadata = metadata ?? {};
  const missed = kind === 'recording_gap' ? [identity] : [];
  const listed: unknown[] = Array.isArray(candidates) ? candidates : [];
  return [Object(participant).identity, ...missed, ...listed].flatMap((one) =>
    typeof one === 'string' ? senderOf(one) : [],
  );
}

const USER = /^user-([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;

function usersIn(messages: readonly SentMessage[]): string[] {
  const senders = new Set(messages.flatMap(sendersOf));
  return [...senders].flatMap((sender) => USER.exec(sender)?.[1] ?? []);
}

export const LIST_ERASURES_SINCE = statement(
  'list_erasures_since',
  (
    sessionIds: readonly string[],
    since: string,
    userIds: readonly string[],
    messageIds: readonly string[],
  ) => [sessionIds, since, userIds, messageIds],
  allRows<{
    readonly id: string;
    readonly sessionId: string;
    readonly messageIds: readonly string[] | null;
    readonly identity: string | null;
    readonly userId: string | null;
    readonly requestedAt: string;
  }>,
)`
select
  erasure.id,
  session.id as "sessionId",
  erasure.message_ids as "messageIds",
  erasure.identity,
  erasure.user_id as "userId",
  erasure.requested_at as "requestedAt"
from unnest($1::uuid[]) as asked (id)
join sessions session on session.id = asked.id
join erasures erasure
  on erasure.project_id = session.project_id
  and erasure.requested_at >= $2::timestamptz
where (erasure.session_id = session.id and (erasure.identity is not null or erasure.message_ids && $4::uuid[]))
  or erasure.user_id = any ($3::uuid[])`;

/**
 * Returns the batch without the messages that were received before they or their sender were erased, and that have waited
 * since. The row of an erased message may be gone: the project no longer keeps it, or the database was restored. Messages
 * that did not wait cost no statement.
 */
export async function withoutErased(
  database: DatabaseAccess,
  batch: readonly NewMessageRow[],
  now: number,
): Promise<readonly NewMessageRow[]> {
  const isLate = (message: NewMessageRow) => saidAt(message) < now - LATE_MS;
  const late = batch.filter(isLate);
  if (late.length === 0) return batch;
  const since = late.reduce((oldest, message) => Math.min(oldest, saidAt(message)), now);
  const sessionIds = [...new Set(late.map(({ sessionId }) => sessionId))];
  const rows = await LIST_ERASURES_SINCE(
    database,
    sessionIds,
    new Date(Math.max(0, since)).toISOString(),
    usersIn(late),
    late.map(({ id }) => id),
  );
  if (rows.length === 0) return batch;
  const scopes = rows.map((row) => ({
    ...row,
    requestedAt: Date.parse(row.requestedAt),
  }));
  const isErased = (message: NewMessageRow) => scopes.some((scope) => isForgotten(scope, message));
  return batch.filter((message) => !isLate(message) || !isErased(message));
}
