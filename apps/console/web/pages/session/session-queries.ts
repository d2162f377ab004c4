import { type Client, isApiError } from '@session/client';
import type { Agent, Session } from '@session/contract';
import { queryOptions } from '@tanstack/react-query';

/** How often an open session is read again, because its recording may change at any time. */
const SESSION_MS = 4000;
const AGENTS_MS = 4000;
/** How often a session is read again while its recording starts, and its agents while one of them starts. */
const STARTING_MS = 700;
/** A session that is not recorded after this many reads will probably not be recorded for a while. */
const STARTING_READS = 10;
const MAX_AGENTS = 100;

export function sessionQuery(client: Client, id: string) {
  return queryOptions({
    queryKey: ['session', id],
    queryFn: ({ signal }): Promise<Session> => client.sessions.get(id, { signal }),
    refetchInterval: ({ state: { data, error, dataUpdateCount } }) => {
      // Without the session, the page shows the failure, and a way to try again.
      if (isRefused(error) || (!data && isApiError(error)) || isEnded(data)) return false;
      const isNew = data?.recording.status === 'waiting' && dataUpdateCount < STARTING_READS;
      return isNew ? STARTING_MS : SESSION_MS;
    },
  });
}

/** The progress of a session's plans. Later messages are folded into it. */
export function stateQuery(client: Client, id: string) {
  return queryOptions({
    queryKey: ['session', id, 'state'],
    queryFn: ({ signal }) => client.sessions.getState(id, { signal }),
  });
}

export function agentsQuery(client: Client, id: string) {
  return queryOptions({
    queryKey: ['session', id, 'agents'],
    queryFn: ({ signal }): Promise<Agent[]> =>
      client.agents.list(id, { signal }).toArray({ limit: MAX_AGENTS }),
    refetchInterval: ({ state: { data } }) => agentsInterval(data),
  });
}

/**
 * Returns whether the API refuses the session. Any other failure is temporary, such as the answers of a proxy while the
 * API restarts.
 */
function isRefused(error: unknown): boolean {
  return isApiError(error, 'not_found') || isApiError(error, 'forbidden');
}

function isEnded(session: Session | undefined): boolean {
  return session?.status === 'CLOSED' && session.recording.status === 'ended';
}

function agentsInterval(agents: readonly Agent[] = []): number {
  return agents.some(({ status }) => status === 'Starting') ? STARTING_MS : AGENTS_MS;
}
