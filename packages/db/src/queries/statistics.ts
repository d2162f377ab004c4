import type { Database } from '../client.ts';
import { isoFromText } from '../iso-time.ts';
import { RECORDING_STATE, type RecordingStatus } from './recording-state.ts';

/** What goes on in the projects of one user. All times are ISO 8601, UTC, milliseconds. */
export interface Statistics {
  readonly sessions: Readonly<Record<RecordingStatus | 'active', number>>;
  readonly messages: {
    readonly total: number;
    readonly lastMinute: number;
    readonly lastMessageAt: string | null;
  };
  readonly agents: { readonly starting: number; readonly running: number };
  readonly recorders: RecorderStatistics[];
  readonly monitored: MonitoredSession[];
  readonly drift: {
    /** ACTIVE for 15 s, and neither recorded nor about to be again. */
    readonly unrecordedActiveSessions: number;
    /** Asked for 30 s ago, and without a process or pod since. */
    readonly agentsWithoutWorkload: number;
    /** Recorders that hold sessions and have said nothing for 15 s. */
    readonly staleRecorders: number;
    /** Recorders that hold sessions, and more in all than their capacity. */
    readonly recordersOverCapacity: number;
  };
}

export interface RecorderStatistics {
  readonly id: string;
  readonly status: 'live' | 'draining' | 'stale';
  /** Those of the user's that it holds. */
  readonly sessions: number;
  readonly heartbeatAt: string;
}

export interface MonitoredSession {
  readonly sessionId: string;
  readonly projectId: string;
  readonly name: string;
  readonly recorderId: string | null;
  readonly status: RecordingStatus;
  readonly connectedSince: string | null;
  readonly messageCount: number;
  readonly lastMessageAt: string | null;
  readonly reconnectAttempts: number;
}

export interface StatisticsQueries {
  /** Counts what goes on in the user's projects; `monitored` has the newest 1,000 of the ACTIVE sessions. */
  readStatistics(userId: string): Promise<Statistics>;
  /** Counts the agents of all projects that have not stopped, by status. */
  countAgents(): Promise<{ readonly status: 'Starting' | 'Running'; readonly count: number }[]>;
  /** Counts the connections of that name, by what PostgreSQL says they do: `active`, `idle` and so on. */
  countConnections(
    applicationName: string,
  ): Promise<{ readonly state: string; readonly count: number }[]>;
}

const MINE = `
from memberships mb join sessions s on s.project_id = mb.project_id and s.deleted_at is null
join session_heads h on h.session_id = s.id`;

// Only the sessions that were active in the last minute are looked into.
const MESSAGES = `
select coalesce(sum(h.message_count), 0) as total, max(h.last_at) filter (where h.message_count > 0) as "lastMessageAt",
  coalesce(sum((select count(*) from messages m where m.session_id = h.session_id and m."timestamp" > now() - interval '60 s'))
    filter (where h.last_at > now() - interval '60 s'), 0) as "lastMinute"
${MINE} where mb.user_id = $1`;

const SESSIONS = `
select count(*)::int as active,
  count(*) filter (where a.status = 'recording')::int as recording,
  count(*) filter (where a.status = 'reconnecting')::int as reconnecting,
  count(*) filter (where a.status = 'waiting')::int as waiting,
  count(*) filter (where a.status = 'lost')::int as lost,
  count(*) filter (where a.status not in ('recording', 'reconnecting') and s.created_at < now() - interval '15 s')::int as unrecorded
${MINE} ${RECORDING_STATE} where mb.user_id = $1 and s.status = 'ACTIVE'`;

const MONITORED = `
select s.id as "sessionId", s.project_id as "projectId", s.name, a.recorder_id as "recorderId", a.status,
  a.connected_at as "connectedSince", h.message_count as "messageCount", h.last_at as "lastMessageAt",
  a.attempts as "reconnectAttempts"
${MINE} ${RECORDING_STATE} where mb.user_id = $1 and s.status = 'ACTIVE' and a.status is not null
order by s.created_at desc, s.id desc limit 1000`;

const RECORDERS = `
select r.id, count(*)::int as sessions, r.heartbeat_at as "heartbeatAt", r.load > r.capacity as "isOverCapacity",
  case when r.heartbeat_at <= now() - interval '15 s' then 'stale' when r.draining then 'draining' else 'live' end as status
${MINE} join recording_assignments o on o.session_id = s.id join recorders r on r.id = o.recorder_id
where mb.user_id = $1 group by r.id order by r.id`;

const AGENTS = `
select count(*) filter (where g.status = 'Starting')::int as starting, count(*) filter (where g.status = 'Running')::int as running,
  count(*) filter (where g.desired = 'running' and g.started_at is null and g.created_at < now() - interval '30 s')::int as "withoutWorkload"
${MINE} join agents g on g.session_id = s.id and g.status <> 'Stopped' where mb.user_id = $1`;

const LIVE_AGENTS = `select status, count(*)::int as count from agents where status <> 'Stopped' group by status`;

const CONNECTIONS = `
select coalesce(state, 'unknown') as state, count(*)::int as count from pg_stat_activity where application_name = $1 group by 1`;

/** Gives the statements that count; they are prepared at their first use on each connection. */
export function prepareStatisticsQueries({ sql }: Pick<Database, 'sql'>): StatisticsQueries {
  return {
    async readStatistics(userId) {
      const read = <Row extends object>(text: string) =>
        sql.unsafe<Row[]>(text, [userId], { prepare: true });
      const [[messages], [sessions], [agents], recorders, monitored] = await Promise.all([
        read<Totals>(MESSAGES),
        read<Statistics['sessions'] & { unrecorded: number }>(SESSIONS),
        read<Statistics['agents'] & { withoutWorkload: number }>(AGENTS),
        read<RecorderStatistics & { isOverCapacity: boolean }>(RECORDERS),
        read<StoredMonitored>(MONITORED),
      ]);
      if (!(messages && sessions && agents)) throw new Error('a count gives one row');
      const { unrecorded, ...counts } = sessions;
      return {
        sessions: counts,
        messages: {
          total: Number(messages.total),
          lastMinute: Number(messages.lastMinute),
          lastMessageAt: messages.lastMessageAt && isoFromText(messages.lastMessageAt),
        },
        agents: { starting: agents.starting, running: agents.running },
        recorders: recorders.map(({ id, status, sessions: held, heartbeatAt }) => ({
          id,
          status,
          sessions: held,
          heartbeatAt: isoFromText(heartbeatAt),
        })),
        monitored: monitored.map(monitoredSession),
        drift: {
          unrecordedActiveSessions: unrecorded,
          agentsWithoutWorkload: agents.withoutWorkload,
          staleRecorders: recorders.filter(({ status }) => status === 'stale').length,
          recordersOverCapacity: recorders.filter(
            ({ status, isOverCapacity }) => status !== 'stale' && isOverCapacity,
          ).length,
        },
      };
    },
    countAgents: async () => await sql.unsafe(LIVE_AGENTS, [], { prepare: true }),
    countConnections: async (applicationName) =>
      await sql.unsafe(CONNECTIONS, [applicationName], { prepare: true }),
  };
}

/** Sums come as strings. */
interface Totals {
  readonly total: string;
  readonly lastMinute: string;
  readonly lastMessageAt: string | null;
}

type StoredMonitored = Omit<MonitoredSession, 'messageCount'> & { readonly messageCount: string };

function monitoredSession(row: StoredMonitored): MonitoredSession {
  const messageCount = Number(row.messageCount);
  return {
    ...row,
    messageCount,
    connectedSince: row.connectedSince && isoFromText(row.connectedSince),
    lastMessageAt: messageCount > 0 && row.lastMessageAt ? isoFromText(row.lastMessageAt) : null,
  };
}
