import { countReplacements } from '@session/db';
import { Gauge } from 'prom-client';
import { recentOf, type ServiceMetricsOptions } from './service-figures.ts';

export function addReplacementMetrics({
  registry,
  database,
}: ServiceMetricsOptions): (isUp: boolean) => Promise<void> {
  const replacements = new Gauge({
    name: 'session_database_replacements',
    help: 'How often in the last day another server took over the database (a promoted standby, a restored backup), without `after-restore` since.',
    registers: [registry],
  });
  const count = recentOf(() => countReplacements(database));
  return async (isUp) => {
    const counted = isUp ? await count() : undefined;
    replacements.remove();
    if (counted !== undefined) replacements.set(counted);
  };
}
