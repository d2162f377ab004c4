import { observeStatements, type StatisticsQueries } from '@session/db';
import { withDeadline } from '@session/kit';
import { Gauge, Histogram, type Registry } from 'prom-client';

/** Prometheus waits at most ten seconds for a scrape, and an absent database is a result too. */
const TIMEOUT_MS = 1500;

export interface DatabaseMetricsOptions {
  readonly registry: Registry;
  readonly statistics: Pick<StatisticsQueries, 'countAgents' | 'countConnections'>;
  /** The `application_name` of the connections to count. */
  readonly applicationName: string;
}

/** Adds the metrics that only the database knows. Returns a function that updates them and never throws. */
export function addDatabaseMetrics(options: DatabaseMetricsOptions): () => Promise<void> {
  const { registry, statistics, applicationName } = options;
  const registers = [registry];
  const up = new Gauge({
    name: 'session_database_up',
    help: `1 when the database answered within ${TIMEOUT_MS / 1000} s, else 0.`,
    registers,
  });
  const answer = new Gauge({
    name: 'session_database_answer_seconds',
    help: 'Time that a small statement waited for a connection of the pool and for its result.',
    registers,
  });
  const connections = new Gauge({
    name: 'session_database_connections',
    help: 'Connections of this process by their state in the database, including the one of this scrape.',
    labelNames: ['state'],
    registers,
  });
  const agents = new Gauge({
    name: 'session_agents',
    help: 'Agents that have not stopped, by status. Every API process reports all of them.',
    labelNames: ['status'],
    registers,
  });
  return async () => {
    const began = performance.now();
    const read = Promise.all([
      statistics.countConnections(applicationName),
      statistics.countAgents(),
    ]);
    const found = await withDeadline(read, TIMEOUT_MS).catch(() => undefined);
    up.set(found ? 1 : 0);
    answer.set((performance.now() - began) / 1000);
    connections.reset();
    agents.reset();
    if (!found) return;
    const [byState, byStatus] = found;
    for (const { state, count } of byState) connections.set({ state }, count);
    for (const status of ['Starting', 'Running']) agents.set({ status }, 0);
    for (const { status, count } of byStatus) agents.set({ status }, count);
  };
}

/** Adds the duration of every statement of this process to `registry`, until the result is disposed of. */
export function measureStatements(registry: Registry): Disposable {
  const durations = new Histogram({
    name: 'session_database_statement_duration_seconds',
    help: 'Time from the call of a statement to its result, with the wait for a connection of the pool.',
    labelNames: ['statement', 'result'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5],
    registers: [registry],
  });
  return observeStatements(({ name, durationSeconds, hasFailed }) => {
    durations.observe(
      { statement: name, result: hasFailed ? 'failed' : 'answered' },
      durationSeconds,
    );
  });
}
