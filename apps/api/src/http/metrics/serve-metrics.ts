import { type InternalServer, type Readiness, serveInternally } from '@session/kit';
import { collectDefaultMetrics } from 'prom-client';
import {
  addDatabaseMetrics,
  type DatabaseMetricsOptions,
  measureStatements,
} from './database-metrics.ts';
import type { Metrics } from './metrics.ts';
import { addServiceMetrics } from './service-metrics.ts';

export interface MetricsSources extends Omit<DatabaseMetricsOptions, 'registry'> {
  readonly metrics: Metrics;
  readonly config: { readonly internal: { readonly host: string; readonly port: number } };
  readonly passwords: { readonly length: number };
  readonly readiness: Readiness;
}

/** Serves `GET /metrics` and `GET /ready` on a port for operators only. Throws a StartError when the address cannot be used. */
export async function serveMetrics(sources: MetricsSources): Promise<InternalServer> {
  const { config, metrics, passwords, readiness } = sources;
  const { registry } = metrics;
  collectDefaultMetrics({ register: registry });
  const help = 'Passwords that are being hashed or wait to be hashed.';
  metrics.gauge('session_passwords_waiting', help, () => passwords.length);
  const refreshDatabase = addDatabaseMetrics({ ...sources, registry });
  const refreshService = addServiceMetrics({ ...sources, registry });
  await using stack = new AsyncDisposableStack();
  stack.use(measureStatements(registry));
  const { port } = stack.use(
    await serveInternally(config.internal, {
      '/ready': () => readiness.answer,
      '/metrics': async () => {
        await refreshService(await refreshDatabase());
        return { status: 200, contentType: registry.contentType, body: await registry.metrics() };
      },
    }),
  );
  const owned = stack.move();
  return { port, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
