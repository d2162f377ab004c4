import type { ProjectRole } from '../../schema/memberships.ts';
import { allRows, firstRow, nothing } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { pageOfMember, type RowOfMember } from '../accounts/memberships.ts';
import { isVersionLeft } from '../erasures/erased-versions.ts';
import type { DeliveryAttempt } from './webhook-attempts.ts';

export interface DeliveryRow extends DeliveryAttempt {
  readonly sessionId: string;
  readonly attempts: number;
  readonly firstAt: string;
  readonly lastAt: string;
}

type ListedDelivery = RowOfMember<DeliveryRow>;

/**
 * Returns the text of one kind of list. If one statement served all kinds, with parameters for the conditions,
 * PostgreSQL would not use the index of each.
 */
function listText(condition: string): string {
  return `
select caller.role as "memberRole", page.*
from followers follower
join memberships caller on caller.project_id = follower.project_id and caller.user_id = $2
left join lateral (
  select delivery.id, delivery.session_id as "sessionId", delivery.seen_at as "seenAt", delivery.type, delivery.attempts,
    delivery.status_code as "statusCode", delivery.duration_ms as "durationMs", delivery.failure, delivery.response,
    delivery.first_at as "firstAt", delivery.last_at as "lastAt"
  from webhook_deliveries delivery
  where delivery.webhook_id = $1
    and (delivery.last_at, delivery.id) <
      (coalesce($3::timestamptz, 'infinity'), coalesce($4::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
    ${condition}
  order by delivery.last_at desc, delivery.id desc
  limit $5
) page on true
where follower.id = $1 and follower.status <> 'deleted'
order by page."lastAt" desc, page.id desc`;
}

type ListParameters = [
  webhookId: string,
  userId: string,
  beforeAt: string | null,
  beforeId: string | null,
  limit: number,
];

type DeliveryState = 'failed' | 'taken';

export const LIST_DELIVERIES = statement(
  'list_deliveries',
  (...parameters: [...ListParameters, isTaken: boolean]) => parameters,
  allRows<ListedDelivery>,
)`${listText('and (not $6::boolean or delivery.failure is null)')}`;

export const LIST_FAILED_DELIVERIES = statement(
  'list_failed_deliveries',
  (...parameters: ListParameters) => parameters,
  allRows<ListedDelivery>,
)`${listText('and delivery.failure is not null')}`;

export const LIST_SESSION_DELIVERIES = statement(
  'list_session_deliveries',
  (...parameters: [...ListParameters, sessionId: string, state: DeliveryState | null]) =>
    parameters,
  allRows<ListedDelivery>,
)`${listText(`and delivery.session_id = $6
    and ($7::text is null or $7 = case when delivery.failure is null then 'taken' else 'failed' end)`)}`;

interface DeliveryPage {
  readonly webhookId: string;
  readonly userId: string;
  readonly before?: { readonly lastAt: string; readonly id: string } | undefined;
  readonly limit: number;
  readonly sessionId?: string | undefined;
  readonly state?: DeliveryState | undefined;
}

export async function listDeliveries(
  database: DatabaseAccess,
  page: DeliveryPage,
): Promise<{ memberRole: ProjectRole; deliveries: DeliveryRow[] } | undefined> {
  const listed = pageOfMember<DeliveryRow>(await rowsOf(database, page));
  return listed && { memberRole: listed.memberRole, deliveries: listed.items };
}

async function rowsOf(
  database: DatabaseAccess,
  { webhookId, userId, before, limit, sessionId, state }: DeliveryPage,
): Promise<readonly ListedDelivery[]> {
  const { lastAt = null, id = null } = before ?? {};
  const given = [webhookId, userId, lastAt, id, limit] as const;
  if (sessionId !== undefined) {
    return await LIST_SESSION_DELIVERIES(database, ...given, sessionId, state ?? null);
  }
  if (state === 'failed') return await LIST_FAILED_DELIVERIES(database, ...given);
  return await LIST_DELIVERIES(database, ...given, state === 'taken');
}

export const findDelivery = statement(
  'find_delivery',
  (webhookId: string, id: string) => [webhookId, id],
  firstRow<{ readonly sessionId: string; readonly seenAt: string }>,
)`
select session_id as "sessionId", seen_at as "seenAt"
from webhook_deliveries
where id = $2 and webhook_id = $1`;

/**
 * Notes an attempt that a user requested, which moves no position. If the version was erased meanwhile, the answer is not
 * stored.
 */
export const noteRedelivered = statement(
  'note_redelivered',
  (
    { webhookId, sessionId, seenAt }: { webhookId: string; sessionId: string; seenAt: string },
    {
      statusCode,
      durationMs,
      failure,
      response,
    }: Pick<DeliveryAttempt, 'durationMs' | 'failure' | 'response' | 'statusCode'>,
  ) => [webhookId, sessionId, seenAt, statusCode, durationMs, failure, response],
  nothing,
)`
update webhook_deliveries
set attempts = attempts + 1, status_code = $4::int, duration_ms = $5::int, failure = $6, last_at = now(),
  response = case when type = 'message.erased' or ${isVersionLeft('$2::uuid', '$3::timestamptz')} then $7::text else '' end
where webhook_id = $1 and session_id = $2 and seen_at = $3::timestamptz`;
