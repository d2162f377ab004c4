import { isoFromText, isoFromTextOrNull } from '../iso-time.ts';
import { type DatabaseAccess, statement } from '../statement.ts';
import { isDead } from './recorder-liveness.ts';
import { RECORDING_STATE, type RecordingStatus } from './recording-state.ts';

/** The present state of the projects of one user. All times are ISO 8601, UTC, milliseconds. */
export interface StatisticsRows {
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
    /** Sessions that are ACTIVE for 15 s, and that no recorder covers or is about to cover again. */
    readonly unrecordedActiveSessions: number;
    /** Agents that were requested 30 s ago, and that have had no workload since. */
    readonly agentsWithoutWorkload: number;
    /** Recorders that hold sessions and have sent no heartbeat for 15 s. */
    readonly staleRecorders: number;
    /** Live recorders that hold sessions, and more of them than their capacity. */
    readonly recordersOverCapacity: number;
  };
}

export interface RecorderStatistics {
  readonly id: string;
  readonly status: 'live' | 'draining' | 'stale';
  /** The number of the user's sessions that it holds. */
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
  /** Counts sessions, messages, agents and recorders of the user's projects; `monitored` has the newest 1,000 ACTIVE sessions. */
  readStatistics(userId: string): Promise<StatisticsRows>;
  /** Counts the agents of all projects that have not stopped, by status. */
  countAgents(): Promise<{ readonly status: 'Starting' | 'Running'; readonly count: number }[]>;
  /** Counts the connections of that name, by their state in PostgreSQL: `active`, `idle` and so on. */
  countConnections(
    applicationName: string,
  ): Promise<{ readonly state: string; readonly count: number }[]>;
}

/** A session may take this long to be recorded before it counts as drift. */
const UNRECORDED_AFTER = `interval '15 s'`;

/** An agent may take this long to get a workload before it counts as drift. */
const NO_WORKLOAD_AFTER = `interval '30 s'`;

/** How far back `lastMinute` looks. */
const LAST_MINUTE = `now() - interval '60 s'`;

/** The sessions of the user's projects, as `session`, with their heads. A condition on `membership.user_id` must follow. */
const OF_MEMBER = `
from memberships membership
join sessions session
  on session.project_id = membership.project_id and session.deleted_at is null
join session_heads head on head.session_id = session.id`;

// Sums come as strings.
interface MessageTotals {
  readonly total: string;
  readonly lastMinute: string;
  readonly lastMessageAt: string | null;
}

export const COUNT_MESSAGES_OF_USER = statement<[userId: string], MessageTotals>(
  'count_messages_of_user',
  `
select
  coalesce(sum(head.message_count), 0) as total,
  max(head.last_at) filter (where head.message_count > 0) as "lastMessageAt",
  -- Only in sessions that had a message in the last minute are messages counted one by one.
  coalesce(
    sum((
      select count(*) from messages message
      where message.session_id = head.session_id and message."timestamp" > ${LAST_MINUTE}
    )) filter (where head.last_at > ${LAST_MINUTE}),
    0
  ) as "lastMinute"
${OF_MEMBER}
where membership.user_id = $1`,
);

export const COUNT_SESSIONS_OF_USER = statement<
  [userId: string],
  StatisticsRows['sessions'] & { readonly unrecorded: number }
>(
  'count_sessions_of_user',
  `
select
  count(*)::int as active,
  count(*) filter (where recording.status = 'recording')::int as recording,
  count(*) filter (where recording.status = 'reconnecting')::int as reconnecting,
  count(*) filter (where recording.status = 'waiting')::int as waiting,
  count(*) filter (where recording.status = 'lost')::int as lost,
  count(*) filter (
    where recording.status not in ('recording', 'reconnecting')
      and session.created_at < now() - ${UNRECORDED_AFTER}
  )::int as unrecorded
${OF_MEMBER}
${RECORDING_STATE}
where membership.user_id = $1
  and session.status = 'ACTIVE'`,
);

type StoredMonitored = Omit<MonitoredSession, 'messageCount'> & { readonly messageCount: string };

export const LIST_MONITORED_SESSIONS = statement<[userId: string], StoredMonitored>(
  'list_monitored_sessions',
  `
select
  session.id as "sessionId",
  session.project_id as "projectId",
  session.name,
  recording.recorder_id as "recorderId",
  recording.status,
  recording.connected_at as "connectedSince",
  head.message_count as "messageCount",
  head.last_at as "lastMessageAt",
  recording.attempts as "reconnectAttempts"
${OF_MEMBER}
${RECORDING_STATE}
where membership.user_id = $1
  and session.status = 'ACTIVE'
  and recording.status is not null
order by session.created_at desc, session.id desc
limit 1000`,
);

export const LIST_RECORDERS_OF_USER = statement<
  [userId: string],
  RecorderStatistics & { readonly isOverCapacity: boolean }
>(
  'list_recorders_of_user',
  `
select
  recorder.id,
  count(*)::int as sessions,
  recorder.heartbeat_at as "heartbeatAt",
  recorder.load > recorder.capacity as "isOverCapacity",
  case
    when ${isDead('recorder')} then 'stale'
    when recorder.draining then 'draining'
    else 'live'
  end as status
${OF_MEMBER}
join recording_assignments slot on slot.session_id = session.id
join recorders recorder on recorder.id = slot.recorder_id
where membership.user_id = $1
group by recorder.id
order by recorder.id`,
);

export const COUNT_AGENTS_OF_USER = statement<
  [userId: string],
  StatisticsRows['agents'] & { readonly withoutWorkload: number }
>(
  'count_agents_of_user',
  `
select
  count(*) filter (where agent.status = 'Starting')::int as starting,
  count(*) filter (where agent.status = 'Running')::int as running,
  count(*) filter (
    where agent.desired = 'running'
      and agent.started_at is null
      and agent.created_at < now() - ${NO_WORKLOAD_AFTER}
  )::int as "withoutWorkload"
${OF_MEMBER}
join agents agent on agent.session_id = session.id and agent.status <> 'Stopped'
where membership.user_id = $1`,
);

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

/** Returns the queries that count. */
export function prepareStatisticsQueries(database: DatabaseAccess): StatisticsQueries {
  const { sql } = database;
  return {
    readStatistics: (userId) => readStatistics(database, userId),
    countAgents: async () => [...(await COUNT_AGENTS.run(sql))],
    countConnections: async (applicationName) => [
      ...(await COUNT_CONNECTIONS.run(sql, applicationName)),
    ],
  };
}

async function readStatistics({ sql }: DatabaseAccess, userId: string): Promise<StatisticsRows> {
  const [[messages], [sessions], [agents], recorders, monitored] = await Promise.all([
    COUNT_MESSAGES_OF_USER.run(sql, userId),
    COUNT_SESSIONS_OF_USER.run(sql, userId),
    COUNT_AGENTS_OF_USER.run(sql, userId),
    LIST_RECORDERS_OF_USER.run(sql, userId),
    LIST_MONITORED_SESSIONS.run(sql, userId),
  ]);
  if (!(messages && sessions && agents)) throw new Error('a count has one row');
  const { unrecorded, ...counts } = sessions;
  return {
    sessions: counts,
    messages: {
      total: Number(messages.total),
      lastMinute: Number(messages.lastMinute),
      lastMessageAt: isoFromTextOrNull(messages.lastMessageAt),
    },
    agents: { starting: agents.starting, running: agents.running },
    recorders: recorders.map(({ isOverCapacity: _isOverCapacity, ...recorder }) => ({
      ...recorder,
      heartbeatAt: isoFromText(recorder.heartbeatAt),
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
}

function monitoredSession(stored: StoredMonitored): MonitoredSession {
  const messageCount = Number(stored.messageCount);
  return {
    ...stored,
    messageCount,
    connectedSince: isoFromTextOrNull(stored.connectedSince),
    lastMessageAt: messageCount > 0 ? isoFromTextOrNull(stored.lastMessageAt) : null,
  };
}
