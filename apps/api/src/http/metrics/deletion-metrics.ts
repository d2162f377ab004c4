import { readDeletionAge } from '@session/db';
import { Gauge } from 'prom-client';
import { recentOf, type ServiceMetricsOptions } from './service-figures.ts';

export function addDeletionMetrics({
  registry,
  database,
}: ServiceMetricsOptions): (isUp: boolean) => Promise<void> {
  const gauge = new Gauge({
    name: 'session_deletions_seconds',
    help: 'The age of the oldest deletion of a session whose rows are not all deleted yet, or of a project that still has ACTIVE sessions; 0 without one.',
    registers: [registry],
  });
  const age = recentOf(() => readDeletionAge(database));
  return async (isUp) => {
    const seconds = isUp ? await age() : undefined;
    gauge.remove();
    if (seconds !== undefined) gauge.set(seconds);
  };
}
