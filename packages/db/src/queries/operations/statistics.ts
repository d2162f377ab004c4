import { AppError } from '@session/kit';
import { roleText } from '../../columns/agent-role.ts';
import { nothing, onlyRow } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { inTransaction } from '../../statement/transaction.ts';
import {
  RECORDED_BY,
  RECORDING_STATE,
  type RecordingStatus,
  UNRECORDED_AFTER,
} from '../recording-state.ts';
import { NEWEST_MESSAGE_AT, SESSIONS_OF_MEMBER } from '../sessions/member-sessions.ts';
import { listMonitoredSessions, type MonitoredSession } from './monitored-sessions.ts';
import {
  findLastWebhook,
  type RecorderDrift,
  type RecorderStatistics,
  readRecorderStatistics,
} from './recorder-statistics.ts';

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
  readonly webhooks: {
    readonly lastAt: string | null;
  };
  readonly drift: RecorderDrift & {
    readonly unrecordedActiveSessions: number;
    readonly underRecordedSessions: number;
    /** Agents that have no workload 30 s after they were requested, or after their restart was due. */
    readonly agentsWithoutWorkload: number;
  };
}

const NO_WORKLOAD_AFTER = `interval '30 s'`;

const LAST_MINUTE = `now() - interval '60 s'`;

/** How many of the latest heads are looked at first. Events move heads too, so the latest may not have the newest message. */
const LIKELY_HEADS = 20;

// Sums come as strings.
interface MessageTotals {
  readonly total: string;
  readonly lastMinute: string;
  readonly lastMessageAt: string | null;
}

export const COUNT_MESSAGES_OF_USER = statement(
  'count_messages_of_user',
  (userId: string) => [userId],
  onlyRow<MessageTotals>,
)`
with heads as materialized (
  select head.session_id, head.last_at, head.message_count
  ${SESSIONS_OF_MEMBER}
  where membership.user_id = $1
), likely as materialized (
  select max(${NEWEST_MESSAGE_AT}) as at
  from (
    select session_id from heads where message_count > 0 order by last_at desc limit ${LIKELY_HEADS}
  ) head
)
select
  coalesce(sum(head.message_count), 0) as total,
  -- No message is newer than its head, so only heads above what was found need another look.
  (
    select greatest(likely.at, (
      select max(${NEWEST_MESSAGE_AT})
      from heads head
      where head.message_count > 0 and head.last_at > coalesce(likely.at, '-infinity')
    ))
    from likely
  ) as "lastMessageAt",
  -- Only in sessions that had a message in the last minute are messages counted one by one.
  coalesce(
    sum((
      select count(*) from messages message
      where message.session_id = head.session_id and message."timestamp" > ${LAST_MINUTE}
    )) filter (where head.last_at > ${LAST_MINUTE}),
    0
  ) as "lastMinute"
from heads head`;

export const COUNT_SESSIONS_OF_USER = statement(
  'count_sessions_of_user',
  (userId: string) => [userId],
  onlyRow<
    StatisticsRows['sessions'] & { readonly unrecorded: number; readonly underRecorded: number }
  >,
)`
select
  count(*)::int as active,
  count(*) filter (where recording.status = 'recording')::int as recording,
  count(*) filter (where recording.status = 'reconnecting')::int as reconnecting,
  count(*) filter (where recording.status = 'waiting')::int as waiting,
  count(*) filter (where recording.status = 'lost')::int as lost,
  count(*) filter (
    where recording.status not in ('recording', 'reconnecting')
      and session.created_at < now() - ${UNRECORDED_AFTER}
  )::int as unrecorded,
  count(*) filter (
    where cardinality(recorded_by.recorder_ids) < recorded_by.wanted
      and session.created_at < now() - ${UNRECORDED_AFTER}
  )::int as "underRecorded"
${SESSIONS_OF_MEMBER}
${RECORDING_STATE}
${RECORDED_BY}
where membership.user_id = $1
  and session.status = 'ACTIVE'`;

export const COUNT_AGENTS_OF_USER = statement(
  'count_agents_of_user',
  (userId: string) => [userId],
  onlyRow<StatisticsRows['agents'] & { readonly withoutWorkload: number }>,
)`
select
  count(*) filter (where agent.status = 'Starting')::int as starting,
  count(*) filter (where agent.status = 'Running')::int as running,
  count(*) filter (
    where agent.desired = 'running'
      and ${roleText('agent')} <> 'external'
      and (
        agent.started_at is null and agent.created_at < now() - ${NO_WORKLOAD_AFTER}
        or agent.restart_at < now() - ${NO_WORKLOAD_AFTER}
      )
  )::int as "withoutWorkload"
${SESSIONS_OF_MEMBER}
join agents agent on agent.session_id = session.id and agent.status <> 'Stopped'
where membership.user_id = $1`;

export const LIMIT_STATEMENTS = statement(
  'limit_statements',
  (limitMs: number) => [String(limitMs)],
  nothing,
)`
select set_config('statement_timeout', $1, true)`;

/**
 * Counts sessions, messages, agents and recorders of the user's projects; `monitored` has the newest 1,000 ACTIVE sessions. A
 * call holds two connections. `leftMs`: how long somebody still waits for the result. No statement begins after that, and
 * PostgreSQL ends those that are running.
 */
export async function readStatistics(
  database: DatabaseAccess,
  userId: string,
  leftMs?: () => number,
): Promise<StatisticsRows> {
  const read = async <Result>(
    statistic: (own: DatabaseAccess, userId: string) => Promise<Result>,
  ) =>
    leftMs
      ? await readInTime(database, leftMs, (own) => statistic(own, userId))
      : await statistic(database, userId);
  const [messages, sessions] = await both(
    read(COUNT_MESSAGES_OF_USER),
    read(COUNT_SESSIONS_OF_USER),
  );
  const [agents, monitored] = await both(read(COUNT_AGENTS_OF_USER), read(listMonitoredSessions));
  const [recorders, lastAt] = await both(
    read(readRecorderStatistics),
    read((own) => findLastWebhook(own)),
  );
  const { unrecorded, underRecorded, ...counts } = sessions;
  return {
    sessions: counts,
    messages: {
      total: Number(messages.total),
      lastMinute: Number(messages.lastMinute),
      lastMessageAt: messages.lastMessageAt,
    },
    agents: { starting: agents.starting, running: agents.running },
    recorders: recorders.recorders,
    monitored,
    webhooks: { lastAt },
    drift: {
      unrecordedActiveSessions: unrecorded,
      underRecordedSessions: underRecorded,
      agentsWithoutWorkload: agents.withoutWorkload,
      ...recorders.drift,
    },
  };
}

/** Like `Promise.all`, but throws a failure only once neither statement holds a connection. */
async function both<First, Second>(
  ...statements: [Promise<First>, Promise<Second>]
): Promise<[First, Second]> {
  await Promise.allSettled(statements);
  return await Promise.all(statements);
}

async function readInTime<Result>(
  database: DatabaseAccess,
  leftMs: () => number,
  read: (transaction: DatabaseAccess) => Promise<Result>,
): Promise<Result> {
  if (leftMs() <= 0) throw new AppError('unavailable', 'nobody waits for the statistics any more');
  return await inTransaction(database, async (transaction) => {
    // PostgreSQL takes 0 for no limit.
    await LIMIT_STATEMENTS(transaction, Math.max(1, Math.ceil(leftMs())));
    return await read(transaction);
  });
}
