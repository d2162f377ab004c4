import { type InternalServer, serveInternally } from '@session/kit';
import { collectDefaultMetrics } from 'prom-client';
import type { Deps } from '../../deps.ts';
import { addDatabaseMetrics } from './database-metrics.ts';

type Sources = Pick<
  Deps,
  'applicationName' | 'config' | 'metrics' | 'passwords' | 'statistics' | 'version'
>;

/**
 * Serves `GET /metrics` in Prometheus' text form, on a port of its own: what is counted is for operators. Throws a
 * StartError when the address cannot be had.
 */
export async function serveMetrics(sources: Sources): Promise<InternalServer> {
  const { config, metrics, passwords } = sources;
  const { registry } = metrics;
  collectDefaultMetrics({ register: registry });
  metrics.gauge(
    'session_passwords_waiting',
    'Passwords that are being hashed, or wait for that.',
    () => {
      return passwords.length;
    },
  );
  const refresh = addDatabaseMetrics({ ...sources, registry });
  return await serveInternally(config.internal, {
    '/metrics': async () => {
      await refresh();
      return { status: 200, contentType: registry.contentType, body: await registry.metrics() };
    },
  });
}
