import type { StatisticsQueries } from '@session/db';
import { withDeadline } from '@session/kit';
import { Gauge, type Registry } from 'prom-client';

/** Whoever looks waits ten seconds at most, and a database that is away is an answer too. */
const TIMEOUT_MS = 1500;

export interface DatabaseMetricsOptions {
  readonly registry: Registry;
  readonly statistics: Pick<StatisticsQueries, 'countAgents' | 'countConnections'>;
  /** Of the connections that are counted. */
  readonly applicationName: string;
}

/** Adds what only the database knows; gives what brings that up to date, and never throws. */
export function addDatabaseMetrics(options: DatabaseMetricsOptions): () => Promise<void> {
  const { registry, statistics, applicationName } = options;
  const registers = [registry];
  const up = new Gauge({
    name: 'session_database_up',
    help: `1 when the database has answered within ${TIMEOUT_MS / 1000} s.`,
    registers,
  });
  const answer = new Gauge({
    name: 'session_database_answer_seconds',
    help: 'How long a small statement waited for a connection of the pool, and for its answer.',
    registers,
  });
  const connections = new Gauge({
    name: 'session_database_connections',
    help: 'Connections of this process, by what the database says they do; this look is among them.',
    labelNames: ['state'],
    registers,
  });
  const agents = new Gauge({
    name: 'session_agents',
    help: 'Agents that have not stopped, by status. Every API process shows all of them.',
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
