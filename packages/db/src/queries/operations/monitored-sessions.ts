import { statement } from '../../statement/statement.ts';
import { RECORDED_BY, RECORDING_STATE, type RecordingStatus } from '../recording-state.ts';
import { NEWEST_MESSAGE_AT, SESSIONS_OF_MEMBER } from '../sessions/member-sessions.ts';

/**
 * An ACTIVE session with slots. Times are ISO 8601. `recorderId`: that of the best slot, whether or not it records yet.
 * `recorderIds`: the recorders that record it now.
 */
export interface MonitoredSession {
  readonly sessionId: string;
  readonly projectId: string;
  readonly name: string;
  readonly recorderId: string | null;
  readonly recorderIds: string[];
  readonly status: RecordingStatus;
  readonly connectedSince: string | null;
  readonly messageCount: number;
  readonly lastMessageAt: string | null;
  readonly reconnectAttempts: number;
}

type StoredMonitored = Omit<MonitoredSession, 'messageCount'> & { readonly messageCount: string };

export const listMonitoredSessions = statement(
  'list_monitored_sessions',
  (userId: string) => [userId],
  (rows: StoredMonitored[]) =>
    rows.map((row) => ({ ...row, messageCount: Number(row.messageCount) })),
)`
select
  session.id as "sessionId",
  session.project_id as "projectId",
  session.name,
  recording.recorder_id as "recorderId",
  recorded_by.recorder_ids as "recorderIds",
  recording.status,
  recording.connected_at as "connectedSince",
  head.message_count as "messageCount",
  ${NEWEST_MESSAGE_AT} as "lastMessageAt",
  recording.attempts as "reconnectAttempts"
${SESSIONS_OF_MEMBER}
${RECORDING_STATE}
${RECORDED_BY}
where membership.user_id = $1
  and session.status = 'ACTIVE'
  and recording.status is not null
order by session.created_at desc, session.id desc
limit 1000`;
