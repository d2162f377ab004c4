/* mark_agent_started */ update agents set started_at = now() where id = $1 and started_at is null
