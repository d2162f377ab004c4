import type { DatabaseAccess } from '@session/db';
import { withDeadline } from '@session/kit';
import type { Registry } from 'prom-client';
import { DATABASE_TIMEOUT_MS } from './database-metrics.ts';
import { Recent } from './recent.ts';

/** How long figures of the whole service are reused: several servers may scrape, each of them often. */
const SERVICE_FIGURES_MS = 5000;

export interface ServiceMetricsOptions {
  readonly registry: Registry;
  readonly database: DatabaseAccess;
}

/** Returns a function that reads a figure of the whole service; undefined when it does not come in time. */
export function recentOf<Value>(read: () => Promise<Value>): () => Promise<Value | undefined> {
  const recent = new Recent(read, SERVICE_FIGURES_MS);
  return async () => await withDeadline(recent.value(), DATABASE_TIMEOUT_MS).catch(() => undefined);
}
