/**
 * All connections to the server, with the columns of `pg_stat_activity`. PostgreSQL shows the state of a connection to the
 * user who opened it, but not to a role that a setting puts in that user's place (docs/operations.md, "The password of the
 * database"). So the role is reset until the statement or its transaction ends.
 */
export const CONNECTIONS = `pg_stat_get_activity(
  -- Always null: all connections. An argument is computed before the function looks at the rights.
  case set_config('role', 'none', true) when '' then 0 end
)`;
