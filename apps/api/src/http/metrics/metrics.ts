import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The metrics of this process, to which each part of the program adds its own. No label names a session, a project or a person. */
export interface Metrics {
  readonly registry: Registry;
  readonly requestDuration: Histogram<'method' | 'route' | 'status_class'>;
  /** What the background work of this process has started again. */
  readonly agentRestarts: Counter<'reason'>;
  /** Adds a gauge that calls `read` for its value at each scrape. */
  gauge(name: string, help: string, read: () => number): void;
  /** Adds a counter, and returns it. */
  counter<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
  ): Counter<Label>;
}

/** Metric names follow https://prometheus.io/docs/practices/naming/. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    requestDuration: new Histogram({
      name: 'session_http_request_duration_seconds',
      help: 'Time from the request to the end of the response, including the time that it was held open.',
      labelNames: ['method', 'route', 'status_class'],
      buckets: [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers,
    }),
    agentRestarts: new Counter({
      name: 'session_agent_restarts_total',
      help: 'Agents that this process started again after their programs ended unasked, by the reason of the end.',
      labelNames: ['reason'],
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
    counter: (name, help, labelNames) => new Counter({ name, help, labelNames, registers }),
  };
}
