import type { DrillStack } from './drill-stack.ts';
import { openRoom } from './room.ts';
import { runSql } from './sql.ts';

/**
 * Replaces `now()` by a function that sleeps in one statement only: a lock would delay other statements too. Only new
 * connections use that function, so those of the API are ended.
 */
const SLOW_DOWN = `
create schema drill;
create function drill.now() returns timestamptz language plpgsql stable as $$
begin
  if current_query() like '/* count_recording */%' then perform pg_sleep(2); end if;
  return pg_catalog.now();
end $$;
do $$ begin
  execute format('alter role %I set search_path = drill, pg_catalog, public', current_user);
end $$;
select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'api-%';`;

const SPEED_UP = `
do $$ begin execute format('alter role %I reset search_path', current_user); end $$;
drop schema drill cascade;`;

export async function slowCounts(stack: DrillStack): Promise<AsyncDisposable> {
  await using parts = new AsyncDisposableStack();
  parts.use(await openRoom(stack));
  parts.defer(() => runSql(stack, SPEED_UP));
  await runSql(stack, SLOW_DOWN);
  return parts.move();
}
