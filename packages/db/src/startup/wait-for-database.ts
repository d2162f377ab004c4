import { pause, StartError } from '@session/kit';
import type { Sql } from 'postgres';
import { isDatabaseAway } from '../errors/is-database-away.ts';

const WRONG_URL: Record<string, string> = {
  '28000': 'refuses the user of the URL: correct the URL',
  '28P01': 'refuses the user or the password of the URL: correct the URL',
  '3D000': 'does not exist: create it, or correct the URL',
  '42704':
    'does not support a parameter of the URL: remove the parameter. To trust a CA, set NODE_EXTRA_CA_CERTS instead of sslrootcert',
};

const WRONG_POOLER =
  'refuses start-up parameters, as PgBouncer does. Set DATABASE_URL to the URL of the pooler, and DATABASE_DIRECT_URL to that of PostgreSQL itself';

export interface DatabaseWait {
  readonly variable: string;
  readonly timeoutMs: number;
  readonly stop: AbortSignal;
}

/**
 * Resolves when the database answers, or after `stop`. Throws a StartError after `timeoutMs`, or when the database is
 * missing or refuses the user or a parameter, and PostgreSQL's error otherwise.
 */
export async function waitForDatabase(
  client: Sql,
  { variable, timeoutMs, stop }: DatabaseWait,
): Promise<void> {
  const timeout = AbortSignal.timeout(timeoutMs);
  for (;;) {
    const failure = await client`select 1`.then(
      () => undefined,
      (error: unknown) => failureOf(error, variable),
    );
    if (!failure || stop.aborted) return;
    if (!failure.isAway) throw failure.error;
    if (await pause(100, timeout)) continue;
    throw new StartError(
      `The database of ${variable} has not answered for ${timeoutMs / 1000} s (${failure.code}). Check that PostgreSQL runs there.`,
    );
  }
}

function failureOf(error: unknown, variable: string) {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no code';
  const refusal = refusesParameters(error) ? WRONG_POOLER : WRONG_URL[code];
  if (refusal) throw new StartError(`The database of ${variable} ${refusal}.`);
  return { code, error, isAway: isDatabaseAway(error) };
}

/**
 * Returns whether PgBouncer refused the start-up parameters. Its code, 08P01, is also that of temporary failures, such
 * as too many clients.
 */
function refusesParameters(error: unknown): boolean {
  return error instanceof Error && /unsupported (?:options )?startup parameter/.test(error.message);
}
