/* update_heartbeat */ update recorders set
  heartbeat_at = now(),
  load = $3,
  draining = $4,
  flushed_at = $5,
  standby_at = $6
where id = $1
  and epoch = $2
  -- A heartbeat that a crash of PostgreSQL loses is worth nothing, so it does not wait for the disk.
  and (select set_config('synchronous_commit', 'off', true)) is not null
returning id
