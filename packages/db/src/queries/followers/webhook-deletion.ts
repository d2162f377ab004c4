import { nothing, rowCount } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';

export const MARK_WEBHOOKS_OF_PROJECT_DELETED = statement(
  'mark_webhooks_of_project_deleted',
  (projectId: string) => [projectId],
  nothing,
)`
update followers set status = 'deleted' where project_id = $1 and status <> 'deleted'`;

const GONE = `
select follower.id from followers follower
left join projects project on project.id = follower.project_id
where follower.status = 'deleted' or project.deleted_at is not null`;

export const DELETE_POSITIONS_OF_GONE = statement(
  'delete_positions_of_gone',
  (limit: number) => [limit],
  rowCount,
)`
delete from follower_positions where (follower_id, session_id) in (
  select followed.follower_id, followed.session_id
  from (${GONE}) gone
  join follower_positions followed on followed.follower_id = gone.id
  limit $1
)`;

export const DELETE_DELIVERIES_OF_GONE = statement(
  'delete_deliveries_of_gone',
  (limit: number) => [limit],
  rowCount,
)`
delete from webhook_deliveries where (webhook_id, session_id, seen_at) in (
  select delivery.webhook_id, delivery.session_id, delivery.seen_at
  from (${GONE}) gone
  join webhook_deliveries delivery on delivery.webhook_id = gone.id
  limit $1
)`;

export const DELETE_GONE_FOLLOWERS = statement('delete_gone_followers', () => [], rowCount)`
delete from followers where id in (
  select gone.id from (${GONE}) gone
  where not exists (select from follower_positions where follower_id = gone.id)
    and not exists (select from webhook_deliveries where webhook_id = gone.id)
)`;

export async function deleteGoneWebhooks(
  database: DatabaseAccess,
  limit: number,
): Promise<{ positions: number; deliveries: number; webhooks: number }> {
  const positions = await DELETE_POSITIONS_OF_GONE(database, limit);
  const deliveries = await DELETE_DELIVERIES_OF_GONE(database, limit);
  const webhooks = await DELETE_GONE_FOLLOWERS(database);
  return { positions, deliveries, webhooks };
}

// By `ctid`, because for a join PostgreSQL reads the whole table. A row that is changed meanwhile has another `ctid`, and
// stays.
export const deleteOldDeliveries = statement(
  'delete_old_deliveries',
  (limit: number) => [limit],
  rowCount,
)`
delete from webhook_deliveries where ctid = any (array(
  select ctid from webhook_deliveries
  where last_at < now() - interval '7 days'
  order by last_at
  limit $1
))`;
