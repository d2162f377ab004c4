/* list_live_agents */ select
  agent.id,
  agent.session_id as "sessionId",
  agent.role,
  agent.desired,
  agent.status,
  agent.reason,
  agent.detail,
  agent.exit_code as "exitCode",
  agent.plan_id as "planId",
  agent.env_template_id as "envTemplateId",
  agent.config,
  agent.restart_policy as "restartPolicy",
  agent.restarts,
  agent.created_by as "createdBy",
  agent.created_at as "createdAt",
  agent.started_at as "startedAt",
  agent.running_at as "runningAt",
  agent.stopped_at as "stoppedAt",
  agent.scheduled_at as "scheduledAt",
  agent.program_started_at as "programStartedAt",
  (extract(epoch from agent.restart_at - now()) * 1000)::float8 as "restartInMs",
  agent.ends,
  agent.traceparent,
  ((extract(epoch from now()::timestamptz(3)) * 1000)::bigint)::float8 as "nowMs",
  session.project_id as "projectId",
  session.status as "sessionStatus"
from agents agent
join sessions session on session.id = agent.session_id
where agent.status <> 'Stopped'
order by agent.id
