import { createTestDatabase } from '@session/testing';
import postgres from 'postgres';
import { expect, test } from 'vitest';

test('tables that are written often have storage settings that keep their updates off the indexes', async () => {
  await using database = await createTestDatabase();
  const client = postgres(database.url, { max: 1 });
  const rows = await client`
    select relname, array_to_string(reloptions, ', ') as settings
    from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and reloptions is not null`;
  await client.end();
  expect(Object.fromEntries(rows.map(({ relname, settings }) => [relname, settings]))).toEqual({
    session_heads:
      'fillfactor=50, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=200, autovacuum_vacuum_cost_delay=0',
    messages: 'autovacuum_vacuum_insert_scale_factor=0.05, autovacuum_analyze_scale_factor=0.02',
    recorders: 'fillfactor=50',
    recording_assignments: 'fillfactor=70, autovacuum_vacuum_scale_factor=0.05',
    agents: 'fillfactor=80',
    agent_logs: 'autovacuum_vacuum_scale_factor=0.05',
    leases: 'fillfactor=50',
    follower_positions:
      'fillfactor=50, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=200, autovacuum_vacuum_cost_delay=0',
    followers: 'fillfactor=70',
  });
});

test('every check and every partial index is in the database', async () => {
  await using database = await createTestDatabase();
  const client = postgres(database.url, { max: 1 });
  const checks = await client`
    select conname from pg_constraint
    where contype = 'c' and connamespace = 'public'::regnamespace order by conname`;
  const indexes = await client`
    select i.indexrelid::regclass::text as name, pg_get_expr(i.indpred, i.indrelid) as predicate
    from pg_index i join pg_class c on c.oid = i.indrelid
    where c.relnamespace = 'public'::regnamespace and i.indpred is not null order by name`;
  await client.end();
  expect(checks.map(({ conname }) => conname)).toEqual([
    'agent_logs_line_count',
    'agent_templates_definition',
    'agents_desired',
    'agents_restart_policy',
    'agents_status',
    'agents_stopped_at',
    'erasures_status',
    'followers_kind',
    'followers_status',
    'invitations_email_lower',
    'invitations_role',
    'memberships_role',
    'messages_role',
    'messages_status',
    'plan_templates_steps',
    'projects_retention_days',
    'recorders_capacity',
    'recording_assignments_slot',
    'recording_assignments_status',
    'recording_intervals_order',
    'sessions_close_reason',
    'sessions_closed_at',
    'sessions_closed_why',
    'sessions_status',
    'users_address',
    'users_email_lower',
    'users_kind',
    'users_project',
    'webhooks_content',
  ]);
  expect(indexes.map(({ name, predicate }) => [name, predicate])).toEqual([
    ['agents_barred', '(barred_until IS NOT NULL)'],
    ['agents_handover', '(handover_id IS NOT NULL)'],
    ['agents_one_per_role', "(status <> 'Stopped'::text)"],
    ['agents_one_per_template', "(status <> 'Stopped'::text)"],
    ['agents_template', '(agent_template_id IS NOT NULL)'],
    ['audit_events_let_in', "(action = 'end_user.let_in'::text)"],
    ['env_templates_default', 'is_default'],
    ['erasures_open', "(status <> 'done'::text)"],
    ['follower_positions_dead', '(dead_at IS NOT NULL)'],
    ['follower_positions_due', '((wanted > "position") AND (dead_at IS NULL))'],
    ['memberships_owner', "(role = 'OWNER'::text)"],
    ['messages_completed', '(completed_at IS NOT NULL)'],
    [
      'messages_state',
      "(kind = ANY (ARRAY['complete_todo_list'::text, 'plan_deliverable_update'::text, 'state_change_notification'::text]))",
    ],
    ['projects_deleted', '(deleted_at IS NOT NULL)'],
    ['projects_reindex', '(reindex_before IS NOT NULL)'],
    ['projects_retention', '(retention_days IS NOT NULL)'],
    [
      'recording_assignments_free_busy',
      '((recorder_id IS NULL) AND (last_message_at IS NOT NULL))',
    ],
    ['recording_assignments_free_shuffled', '((recorder_id IS NULL) AND (slot >= 0))'],
    ['recording_assignments_recorder', '(recorder_id IS NOT NULL)'],
    ['recording_intervals_open', '(to_at IS NULL)'],
    ['sender_sequences_next', '(next_at IS NOT NULL)'],
    ['session_events_deleted', "(type = 'session.deleted'::text)"],
    ['sessions_external_id', '((external_id IS NOT NULL) AND (deleted_at IS NULL))'],
    ['sessions_project_active', "((status = 'ACTIVE'::text) AND (deleted_at IS NULL))"],
    ['sessions_project_deleted', '(deleted_at IS NOT NULL)'],
    ['users_newest_end_user', "(kind = 'end_user'::text)"],
    ['users_project', '(project_id IS NOT NULL)'],
    ['webhook_deliveries_failed', '(failure IS NOT NULL)'],
  ]);
});
