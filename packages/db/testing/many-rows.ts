import { createHash } from 'node:crypto';
import type { Sql } from 'postgres';

const PEOPLE = 3000;
const SESSIONS = 20_000;
const MESSAGES = 40_000;

/** Tables that stay so small that an index is not worth reading. */
export const SMALL_TABLES: ReadonlySet<string> = new Set([
  'recorders',
  'leases',
  'deleted_rooms',
  'removed_members',
  'restores',
  'database_timelines',
  'pg_database',
]);

/**
 * Fills the tables with so many rows that PostgreSQL prefers an index: people with a project each, sessions in each project,
 * and what belongs to them. About one in a hundred of the rows that can wait for work (deleted, live, open, pending) does. The
 * recorders are alive for an hour instead of 15 s, so that plans do not depend on how long a test takes.
 */
export async function insertManyRows(sql: Sql, messages = MESSAGES): Promise<void> {
  await withoutTerms(sql, () =>
    sql.unsafe(`
create function pg_temp.id(text) returns uuid immutable language sql return md5($1)::uuid;
insert into users (id, email, password_hash, name)
  select pg_temp.id('user' || n), 'user-' || n || '@example.org', '', 'User' from generate_series(1, ${PEOPLE}) n;
insert into projects (id, name, deleted_at)
  select pg_temp.id('project' || n), 'Project', case when n % 500 = 0 then now() end from generate_series(1, ${PEOPLE}) n;
insert into memberships (id, user_id, project_id, role)
  select gen_random_uuid(), pg_temp.id('user' || (n + k) % ${PEOPLE} + 1), pg_temp.id('project' || n), 'OWNER'
  from generate_series(1, ${PEOPLE}) n, generate_series(0, 1) k;
insert into users (id, kind, project_id, email, password_hash, name)
  select pg_temp.id('service' || n), 'service', pg_temp.id('project' || n), 'service:' || n, '', 'Key' from generate_series(1, ${PEOPLE}) n;
insert into memberships (id, user_id, project_id, role)
  select gen_random_uuid(), id, project_id, 'MEMBER' from users where kind = 'service';
insert into api_keys (id, user_id, secret_hash, created_by)
  select 'key' || n, pg_temp.id('service' || n), '', pg_temp.id('user1') from generate_series(1, ${PEOPLE}) n;
insert into invitations (id, project_id, email, role, secret_hash, created_by, expires_at)
  select pg_temp.id('invitation' || n), pg_temp.id('project' || n), 'guest-' || n || '@example.org', 'MEMBER',
    decode(md5('invitation' || n), 'hex'), pg_temp.id('user' || n % ${PEOPLE} + 1), now() + (n - 30) * interval '1 min'
  from generate_series(1, ${PEOPLE}) n;
insert into password_links (user_id, secret_hash, expires_at)
  select pg_temp.id('user' || n), decode(md5('link' || n), 'hex'), now() + (n - 30) * interval '1 s' from generate_series(1, ${PEOPLE}) n;
insert into ended_tokens (user_id, version, ended_at)
  select pg_temp.id('user' || n), 1, now() - n * interval '1 min' from generate_series(1, ${PEOPLE}) n;
insert into sessions (id, project_id, name, created_by, status, close_reason, closed_at, deleted_at, created_at)
  select pg_temp.id('session' || n), pg_temp.id('project' || n % ${PEOPLE} + 1), 'Session', pg_temp.id('user1'),
    case when n % 2 = 0 then 'CLOSED' else 'ACTIVE' end, case when n % 2 = 0 then 'user' end,
    case when n % 2 = 0 then now() - interval '1 h' end, case when n % 1000 = 0 then now() end, now() - n * interval '1 min'
  from generate_series(1, ${SESSIONS}) n;
insert into messages (session_id, id, "timestamp", role, status, completed_at, kind, content, metadata)
  select pg_temp.id('session' || n % 600), pg_temp.id('message' || n), now() - n * interval '1 s', 'user',
    case when n % 100 = 0 then 'complete' end, case when n % 100 = 0 then now() - n * interval '1 s' end,
    case when n % 100 = 1 then 'complete_todo_list' else 'text' end, 'So it is.', '{"rawId": null}'
  from generate_series(1, ${messages}) n;
insert into session_heads (session_id, last_at, message_count) select id, now(), 5 from sessions;
insert into session_events (session_id, seen_at, project_id, type)
  select id, coalesce(closed_at, now()) - interval '29 days', project_id, 'session.closed' from sessions;
insert into session_end_users (session_id, user_id, issued_by, project_id, session_created_at)
  select id, pg_temp.id('end_user' || 1 + hashtext(id::text) % 100), created_by, project_id, created_at from sessions;
insert into recorders (id, capacity, heartbeat_at)
  select pg_temp.id('recorder' || n), 2000, now() + interval '1 h' from generate_series(1, 128) n;
insert into recording_assignments (session_id, recorder_id, status, last_message_at)
  select id, case when hashtext(id::text) % 100 <> 1 then pg_temp.id('recorder' || (1 + hashtext(id::text) & 127)) end,
    'recording', created_at
  from sessions where status = 'ACTIVE';
insert into recording_intervals (session_id, id, recorder_id, from_at, to_at, end_reason)
  select id, gen_random_uuid(), pg_temp.id('recorder1'), created_at, case when hashtext(id::text) % 100 <> 0 then now() end, 'closed'
  from sessions;
insert into plan_templates (id, project_id, name, steps)
  select pg_temp.id('plan' || n), pg_temp.id('project' || n), 'Plan', '[{}]' from generate_series(1, ${PEOPLE}) n;
insert into env_templates (id, project_id, name, keys, key_id, nonce, ciphertext, is_default)
  select pg_temp.id('env' || n), pg_temp.id('project' || n), 'Template', '{}', 'key', '', '', true from generate_series(1, ${PEOPLE}) n;
insert into agent_templates (id, project_id, name, role, definition, created_by, updated_by)
  select pg_temp.id('template' || n), pg_temp.id('project' || n), 'Template', 'light-agent', '{"tools": []}',
    pg_temp.id('user1'), pg_temp.id('user1') from generate_series(1, ${PEOPLE}) n;
insert into agent_template_versions (template_id, version, name, role, definition, created_by)
  select id, 1, name, role, definition, created_by from agent_templates;
insert into agents (id, session_id, role, created_by, status, desired, stopped_at, plan_id, env_template_id,
    agent_template_id, agent_template_version)
  select pg_temp.id('agent' || n), pg_temp.id('session' || n), 'echo-agent', pg_temp.id('user1'),
    case when n % 100 = 1 then 'Running' else 'Stopped' end, case when n % 100 = 1 then 'running' else 'stopped' end,
    case when n % 100 <> 1 then now() end, pg_temp.id('plan' || n), pg_temp.id('env' || n),
    pg_temp.id('template' || n), 1 from generate_series(1, ${PEOPLE}) n;
insert into agent_secrets (agent_id, key_id, nonce, ciphertext) select id, 'key', '', '' from agents;
insert into agent_logs (agent_id, first_line, first_byte, line_count, byte_count, last_at, times, lines)
  select id, n * 2, n * 4, 2, 4, now(), '{1,2}', '{a,b}' from agents, generate_series(0, 2) n;
insert into idempotency_keys (scope, key, request_hash, object_id, created_at)
  select gen_random_uuid(), 'key', '', gen_random_uuid(), now() - n * interval '20 s' from generate_series(1, ${PEOPLE}) n;
insert into audit_events (id, project_id, at, actor, action, target)
  select pg_temp.id('event' || n), pg_temp.id('project' || n % ${PEOPLE} + 1), now() - n * interval '29 min', pg_temp.id('user1'),
    'member.added', pg_temp.id('user2') from generate_series(1, ${SESSIONS}) n;
insert into erasures (id, project_id, session_id, message_ids, requested_by, requested_at, status)
  select pg_temp.id('erasure' || n), pg_temp.id('project' || n), pg_temp.id('session' || n), '{}', pg_temp.id('user1'),
    now() - n * interval '1 h', case when n % 100 = 0 then 'running' else 'done' end from generate_series(1, ${PEOPLE}) n;
insert into erasure_acknowledgements (erasure_id, recorder_id)
  select id, pg_temp.id('recorder1') from erasures;
insert into followers (id, kind, project_id, starts_at, status)
  select pg_temp.id('webhook' || n), 'webhook', pg_temp.id('project' || n), now() - interval '1 day',
    case when n % 100 = 0 then 'deleted' else 'active' end from generate_series(1, ${PEOPLE}) n;
insert into webhooks (id, url, events, key_id, nonce, ciphertext, created_by)
  select id, 'https://example.org/hook', '{}', 'key' || hashtext(id::text) % 100, '', '', pg_temp.id('user1') from followers
  where kind = 'webhook';
insert into follower_positions (follower_id, session_id, position, wanted, dead_at)
  select follower.id, session.id, now() - interval '1 h',
    now() - case when hashtext(session.id::text) % 100 = 0 then interval '1 min' else interval '1 h' end,
    case when hashtext(session.id::text) % 100 = 1 then now() end
  from followers follower join sessions session on session.project_id = follower.project_id;
insert into follower_positions (follower_id, session_id, position, wanted)
  select follower.id, session.id, now() - interval '1 h',
    now() - case when hashtext(session.id::text) % 100 = 0 then interval '1 min' else interval '1 h' end
  from followers follower cross join sessions session where follower.kind in ('search', 'sequence');
insert into sender_sequences (session_id, sender, q, heard, last_at, next_at)
  select session.id, 'user-' || session.created_by, 'k3x9qa7b', '{[1,2),[3,4)}', now(),
    case when hashtext(session.id::text) % 100 = 0 then now() + interval '1 h' end
  from sessions session;
insert into message_search (session_id, message_id, project_id, seen_at, words)
  select message.session_id, message.id, session.project_id, message."timestamp",
    to_tsvector('simple', 'so it is ' || case when hashtext(message.id::text) % 100 = 0 then 'rare' else '' end)
      || array_to_tsvector(array[left(md5(session.project_id::text), 12) || 'p'])
  from messages message join sessions session on session.id = message.session_id
  where message.kind = 'text'
  limit 10000;
-- A project with much in its index.
insert into message_search (session_id, message_id, project_id, seen_at, words)
  select gen_random_uuid(), gen_random_uuid(), pg_temp.id('project1'), now() - n * interval '1 s',
    to_tsvector('simple', 'so it is ' || case when n % 5000 = 0 then 'rare' else '' end)
      || array_to_tsvector(array[left(md5(pg_temp.id('project1')::text), 12) || 'p'])
  from generate_series(1, 20000) n;
insert into webhook_deliveries
  (webhook_id, session_id, seen_at, id, type, attempts, status_code, duration_ms, response, last_at)
  select follower_id, session_id, position, gen_random_uuid(), 'message.stored', 1, 204, 12, '',
    now() - hashtext(session_id::text) % 100 * interval '2 h'
  from follower_positions join webhooks on id = follower_id;
`),
  );
  await sql`analyze`;
}

/** Runs `work` without the indexes of words, and creates them again. With many rows, this takes a fifth of the time. */
export async function withoutTerms(sql: Sql, work: () => Promise<unknown>): Promise<void> {
  const indexes = await sql<{ name: string; definition: string }[]>`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index where indexrelid in ('sessions_terms'::regclass, 'message_search_words'::regclass)`;
  for (const { name } of indexes) await sql.unsafe(`drop index ${name}`);
  await work();
  for (const { definition } of indexes) await sql.unsafe(definition);
}

/** Returns the id of the `n`th row of a kind of `insertManyRows`, such as `user` or `session`. */
export function manyRowsId(kind: string, n: number): string {
  const digits = createHash('md5').update(`${kind}${n}`).digest('hex');
  return digits.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
}
