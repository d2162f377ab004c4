import { isoFromText } from '../../columns/iso-time.ts';
import type { ProjectRole } from '../../schema/memberships.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import type { DeliveryAttempt } from './webhook-attempts.ts';

export interface DeliveryRow extends DeliveryAttempt {
  readonly sessionId: string;
  readonly attempts: number;
  readonly firstAt: string;
  readonly lastAt: string;
}

type ListedDelivery = { readonly memberRole: ProjectRole } & ({ readonly id: null } | DeliveryRow);

export const LIST_DELIVERIES = statement<
  [
    webhookId: string,
    userId: string,
    beforeAt: string | null,
    beforeId: string | null,
    limit: number,
  ],
  ListedDelivery
>(
  'list_deliveries',
  `
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
  order by delivery.last_at desc, delivery.id desc
  limit $5
) page on true
where follower.id = $1 and follower.status <> 'deleted'
order by page."lastAt" desc, page.id desc`,
);

/**
 * Returns the caller's role with up to `limit` deliveries, the newest first, after `before`; undefined when there is no
 * such webhook for the caller.
 */
export async function listDeliveries(
  database: DatabaseAccess,
  page: {
    webhookId: string;
    userId: string;
    before?: { lastAt: string; id: string } | undefined;
    limit: number;
  },
): Promise<{ memberRole: ProjectRole; deliveries: DeliveryRow[] } | undefined> {
  const { webhookId, userId, before, limit } = page;
  const { lastAt = null, id = null } = before ?? {};
  const rows = await LIST_DELIVERIES.run(database, webhookId, userId, lastAt, id, limit);
  const [first] = rows;
  if (!first) return undefined;
  const deliveries = rows.flatMap((row) => (row.id === null ? [] : deliveryOf(row)));
  return { memberRole: first.memberRole, deliveries };
}

function deliveryOf(row: DeliveryRow & { readonly memberRole: ProjectRole }): DeliveryRow {
  const { memberRole: _role, ...delivery } = row;
  return {
    ...delivery,
    seenAt: isoFromText(delivery.seenAt),
    firstAt: isoFromText(delivery.firstAt),
    lastAt: isoFromText(delivery.lastAt),
  };
}
