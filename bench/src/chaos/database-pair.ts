import { randomBytes } from 'node:crypto';
import { pause, StartError } from '@session/kit';
import { type ServiceHost, STANDBY } from '@session/local';
import type { Sql } from 'postgres';
import { DatabaseServer } from './database-server.ts';

const POLL_MS = 50;
const FOLLOW_TIMEOUT_MS = 60_000;
const BEHIND_MS = 2000;
/** How long the primary is dead before the standby takes over: whoever decides that must first notice the death. */
const DEAD_MS = 3000;

/** Whether a commit waits until the standby has it, too. */
export type Replication = 'synchronous' | 'asynchronous';

export interface DatabasePair {
  readonly url: string;
  /**
   * Kills the primary while the standby is 2 s behind, and promotes the standby. Resolves when the killed server follows the
   * new primary.
   */
  failOver(): Promise<void>;
}

export async function startDatabasePair(
  replication: Replication,
  folder: string,
  host: ServiceHost,
  parts: AsyncDisposableStack,
): Promise<DatabasePair> {
  const password = randomBytes(16).toString('hex');
  const open = async (name: string) =>
    parts.use(await DatabaseServer.open(name, folder, password, host));
  let primary = await open('database-a');
  let standby = await open('database-b');
  const addresses = [primary.address, standby.address].join();
  await primary.start();
  await follow(primary, standby, replication, host.stop);
  return {
    url: `postgres://postgres:${password}@${addresses}/postgres?target_session_attrs=primary`,
    async failOver() {
      primary.relay.silenceOpenConnections();
      await pause(BEHIND_MS, host.stop);
      await primary.kill();
      // Drops what was held back.
      await primary.relay.refuseConnections();
      await primary.relay.acceptConnections();
      await pause(DEAD_MS, host.stop);
      [primary, standby] = [standby, primary];
      await primary.ask((sql) => sql`select pg_promote()`);
      await follow(primary, standby, replication, host.stop);
    },
  };
}

/** Makes commits wait for the standby only once it follows: before that, no commit could end. */
async function follow(
  primary: DatabaseServer,
  standby: DatabaseServer,
  replication: Replication,
  stop: AbortSignal,
): Promise<void> {
  await standby.start(primary);
  const isSynchronous = replication === 'synchronous';
  if (isSynchronous) {
    await primary.ask((sql) =>
      sql.unsafe(`alter system set synchronous_standby_names = ${STANDBY}`),
    );
    await primary.ask((sql) => sql`select pg_reload_conf()`);
  }
  const follower = (sql: Sql) => sql`
    select 1 from pg_stat_replication
    where state = 'streaming' and sync_state = ${isSynchronous ? 'sync' : 'async'}`;
  const signal = AbortSignal.any([stop, AbortSignal.timeout(FOLLOW_TIMEOUT_MS)]);
  while ((await primary.ask(follower)).length === 0) {
    if (!(await pause(POLL_MS, signal))) {
      throw new StartError(`${standby.name} does not follow ${primary.name}: check their logs.`);
    }
  }
}
