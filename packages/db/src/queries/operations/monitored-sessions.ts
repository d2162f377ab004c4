import { isoFromTextOrNull } from '../../columns/iso-time.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { RECORDED_BY, RECORDING_STATE, type RecordingStatus } from '../recording-state.ts';
import { NEWEST_MESSAGE_AT, SESSIONS_OF_MEMBER } from '../sessions/member-sessions.ts';

/**
 * An ACTIVE session with slots. Times are ISO 8601. `recorderId`: of the best slot, whether or not it records yet.
 * `recorderIds`: those that record it now.
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

export const LIST_MONITORED_SESSIONS = statement<[userId: string], StoredMonitored>(
  'list_monitored_sessions',
  `
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
limit 1000`,
);

/** Returns the newest 1,000 ACTIVE sessions of the user's projects that have slots, the newest first. */
export async function listMonitoredSessions(
  database: DatabaseAccess,
  userId: string,
): Promise<MonitoredSession[]> {
  return (await LIST_MONITORED_SESSIONS.run(database, userId)).map(monitoredSession);
}

function monitoredSession(stored: StoredMonitored): MonitoredSession {
  const messageCount = Number(stored.messageCount);
  return {
    ...stored,
    messageCount,
    connectedSince: isoFromTextOrNull(stored.connectedSince),
    lastMessageAt: isoFromTextOrNull(stored.lastMessageAt),
  };
}
