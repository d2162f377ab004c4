import { Gauge, Histogram, Registry } from 'prom-client';

/** What the process counts of itself; each part of it adds its own. No label names a session, a project or a person. */
export interface Metrics {
  readonly registry: Registry;
  readonly requestDuration: Histogram<'method' | 'route' | 'status_class'>;
  /** Adds a gauge of that name that shows what `read` gives at each look. */
  gauge(name: string, help: string, read: () => number): void;
}

/** Names are as https://prometheus.io/docs/practices/naming/ has them. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    requestDuration: new Histogram({
      name: 'session_http_request_duration_seconds',
      help: 'From the request to the end of the answer, with the time for which it was held open.',
      labelNames: ['method', 'route', 'status_class'],
      buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    }),
    gauge(name, help, read) {
      const gauge = new Gauge({
        name,
        help,
        registers: [],
        collect() {
          this.set(read());
        },
      });
      registry.registerMetric(gauge);
    },
  };
}
