import { type DatabaseAccess, statement } from '../../statement.ts';

/** Counts for the service's metrics, of all projects. */
export interface ServiceCountQueries {
  /** Counts the agents of all projects that have not stopped, by status. */
  countAgents(): Promise<{ readonly status: 'Starting' | 'Running'; readonly count: number }[]>;
  /** Counts the connections of that name, by their state in PostgreSQL: `active`, `idle` and so on. */
  countConnections(
    applicationName: string,
  ): Promise<{ readonly state: string; readonly count: number }[]>;
}

export const COUNT_AGENTS = statement<[], { status: 'Starting' | 'Running'; count: number }>(
  'count_agents',
  `select status, count(*)::int as count from agents where status <> 'Stopped' group by status`,
);

export const COUNT_CONNECTIONS = statement<
  [applicationName: string],
  { state: string; count: number }
>(
  'count_connections',
  `
select coalesce(state, 'unknown') as state, count(*)::int as count
from pg_stat_activity
where application_name = $1
group by 1`,
);

/** Returns the queries that count for the service's metrics. */
export function prepareServiceCountQueries({ sql }: DatabaseAccess): ServiceCountQueries {
  return {
    countAgents: async () => [...(await COUNT_AGENTS.run(sql))],
    countConnections: async (applicationName) => [
      ...(await COUNT_CONNECTIONS.run(sql, applicationName)),
    ],
  };
}
