/* update_agent_state */ with changed as (
  update agents set
    status = $2,
    reason = coalesce($3, reason),
    detail = coalesce($4, detail),
    exit_code = coalesce($5, exit_code),
    running_at = case when $2 = 'Running' then coalesce(running_at, now()) else running_at end,
    stopped_at = case when $2 = 'Stopped' then now() end,
    desired = case when $2 = 'Stopped' then 'stopped' else desired end
  where id = $1
    and status <> 'Stopped'
    and not (status = 'Running' and $2 = 'Starting')
  returning id
),
deleted as (
  delete from agent_secrets
  using changed
  where $2 = 'Stopped'
    and agent_secrets.agent_id = changed.id
)
select from changed
