/* insert_agent */ with session as (
  select id from sessions
  where id = $2
    and status = 'ACTIVE'
    and deleted_at is null
  for share
), inserted as (
  insert into agents (id, session_id, role, plan_id, env_template_id, config, created_by)
  select $1::uuid, session.id, $3, $4::uuid, $5::uuid, $6::text::jsonb, $7::uuid from session
  on conflict (session_id, role) where status <> 'Stopped' do nothing
  returning id
)
select
  session.id is not null as "isActive",
  inserted.id is not null as "isInserted",
  case when inserted.id is not null then pg_notify('agent_changed', inserted.id::text) end
from (values (1)) one_row
left join session on true
left join inserted on true
