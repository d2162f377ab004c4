import {
  countConnections,
  type DatabaseAccess,
  observeStatements,
  readDatabaseClock,
  withinLimit,
} from '@session/db';
import { Gauge, Histogram, type Registry } from 'prom-client';

/** Well below the ten seconds that Prometheus waits for a scrape, so that a scrape also reports that the database is away. */
export const DATABASE_TIMEOUT_MS = 1500;

export interface DatabaseMetricsOptions {
  readonly registry: Registry;
  readonly database: DatabaseAccess;
  readonly reserved: DatabaseAccess;
  readonly applicationName: string;
}

/**
 * Adds metrics of the database. The returned function updates them, and returns whether the database answers. It never
 * throws.
 */
export function addDatabaseMetrics(options: DatabaseMetricsOptions): () => Promise<boolean> {
  const { registry, applicationName } = options;
  const database = withinLimit(options.database, DATABASE_TIMEOUT_MS);
  const reserved = withinLimit(options.reserved, DATABASE_TIMEOUT_MS);
  const registers = [registry];
  const up = new Gauge({
    name: 'session_database_up',
    help: `1 when the database answered within ${DATABASE_TIMEOUT_MS / 1000} s, else 0.`,
    registers,
  });
  const offset = new Gauge({
    name: 'session_clock_offset_seconds',
    help: "How far this machine's clock is ahead of the database's; negative: behind. Absent while the database is away.",
    registers,
  });
  // A gauge without labels starts at 0.
  offset.remove();
  const answer = new Gauge({
    name: 'session_database_answer_seconds',
    help: 'Time that a small statement waited for a connection of the pool and for its result.',
    registers,
  });
  const connections = new Gauge({
    name: 'session_database_connections',
    help: 'Connections of this process by their state in the database, including those of this scrape.',
    labelNames: ['state'],
    registers,
  });
  const askClock = async () => {
    const sentAt = Date.now();
    const began = performance.now();
    const now = await readDatabaseClock(reserved).catch(noAnswer);
    up.set(now === undefined ? 0 : 1);
    if (now === undefined) offset.remove();
    else offset.set((sentAt + (performance.now() - began) / 2 - now) / 1000);
    return now !== undefined;
  };
  const askPool = async () => {
    const began = performance.now();
    const found = await countConnections(database, applicationName).catch(noAnswer);
    answer.set((performance.now() - began) / 1000);
    connections.reset();
    for (const { state, count } of found ?? []) connections.set({ state }, count);
  };
  return async () => {
    const [isUp] = await Promise.all([askClock(), askPool()]);
    return isUp;
  };
}

function noAnswer(): undefined {
  return undefined;
}

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
