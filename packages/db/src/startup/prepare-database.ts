import { checkPooler, type PoolerUrls } from './check-pooler.ts';
import { migrate } from './migrate.ts';

export function isPooled({ databaseUrl, databaseDirectUrl }: PoolerUrls): boolean {
  return databaseUrl !== databaseDirectUrl;
}

export interface PrepareOptions {
  readonly timeoutMs?: number;
  readonly stop: AbortSignal;
}

/**
 * Migrates the database, past the pooler if there is one, and checks the pooler. Throws a StartError when a URL cannot
 * be used, and PostgreSQL's error when a migration fails.
 */
export async function prepareDatabase(
  urls: PoolerUrls,
  { timeoutMs = 30_000, stop }: PrepareOptions,
): Promise<void> {
  const variable = isPooled(urls) ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL';
  await migrate(urls.databaseDirectUrl, { timeoutMs, stop, variable });
  if (isPooled(urls) && !stop.aborted) await checkPooler(urls, { timeoutMs, stop });
}
