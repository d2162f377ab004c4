import { randomUUID } from 'node:crypto';
import { aborted, StartError } from '@session/kit';
import postgres, { type Sql } from 'postgres';
import { POOLED_SETTINGS, reconnectDelay } from '../connection/client.ts';
import { waitForDatabase } from './wait-for-database.ts';

const NOTIFICATION_MS = 5000;
const CHANNEL = 'pooler_check';

export interface PoolerUrls {
  readonly databaseUrl: string;
  readonly databaseDirectUrl: string;
}

export interface CheckOptions {
  readonly timeoutMs: number;
  readonly stop: AbortSignal;
}

/**
 * Throws a StartError unless both URLs lead to the same database, the second past the pooler, and the pooler's connections
 * have `POOLED_SETTINGS`. A notification must get from the first URL to the second. That reveals another server or database,
 * and a direct URL that leads to a transaction pooler.
 */
export async function checkPooler(
  { databaseUrl, databaseDirectUrl }: PoolerUrls,
  { timeoutMs, stop }: CheckOptions,
): Promise<void> {
  const payload = randomUUID();
  const arrived = Promise.withResolvers<boolean>();
  await using pooled = connect(databaseUrl);
  await using direct = connect(databaseDirectUrl, (received) => {
    if (received === payload) arrived.resolve(true);
  });
  const check = async () => {
    await waitForDatabase(pooled.sql, { variable: 'DATABASE_URL', timeoutMs, stop });
    await checkSettings(pooled.sql);
    await direct.sql.unsafe(`listen ${CHANNEL}`);
    await pooled.sql`select pg_notify(${CHANNEL}, ${payload})`;
    const timeout = aborted(AbortSignal.timeout(NOTIFICATION_MS)).then(() => false);
    if (await Promise.race([arrived.promise, timeout])) return;
    throw new StartError(
      'DATABASE_DIRECT_URL must lead to PostgreSQL itself, and to the same database as DATABASE_URL: a notification sent through DATABASE_URL did not arrive.',
    );
  };
  await Promise.race([check(), aborted(stop)]);
}

function connect(url: string, received: (payload: string) => void = () => {}) {
  const options = {
    max: 1,
    connect_timeout: 5,
    backoff: reconnectDelay,
    fetch_types: false,
    // PgBouncer before 1.21 keeps no prepared statements when it pools transactions.
    prepare: false,
    onnotice: () => {},
    onnotify: (_channel: string, payload: string) => received(payload),
  };
  const client = postgres(url, options);
  return { sql: client, [Symbol.asyncDispose]: () => client.end({ timeout: 1 }) };
}

async function checkSettings(sql: Sql): Promise<void> {
  const names = Object.keys(POOLED_SETTINGS);
  const rows = await sql`
    select name, setting, session_user as role, current_database() as database from pg_settings
    where name in ${sql(names)}`;
  const settings = new Map(rows.map(({ name, setting }) => [String(name), String(setting)]));
  const missing = Object.entries(POOLED_SETTINGS).filter(
    ([name, most]) => !isMet(settings.get(name) ?? '', most),
  );
  if (missing.length === 0) return;
  const { role, database } = rows[0] ?? {};
  const commands = missing.map(
    ([name, value]) => `alter role "${role}" in database "${database}" set ${name} = '${value}';`,
  );
  throw new StartError(
    [
      'The role of the pooled connections at DATABASE_URL lacks settings. Run this at DATABASE_DIRECT_URL, then let the pooler connect again:',
      ...commands,
    ].join('\n'),
  );
}

/** A number is the highest allowed value in milliseconds; a setting of 0 would mean no limit. */
function isMet(setting: string, most: string | number): boolean {
  if (typeof most === 'string') return setting === most;
  return Number(setting) > 0 && Number(setting) <= most;
}
