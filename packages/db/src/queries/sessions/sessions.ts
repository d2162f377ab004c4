import type { ProjectRole } from '../../schema/memberships.ts';
import type { sessions } from '../../schema/sessions.ts';
import { hasRows } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';
import { RECORDING_STATE, type RecordingStatus } from '../recording-state.ts';
import { NEWEST_MESSAGE_AT } from './member-sessions.ts';
import { type CloseReason, closeReasonOf, isFinished } from './session-end.ts';

type SessionColumns = typeof sessions.$inferSelect;
export type SessionStatus = SessionColumns['status'];

type SessionMetadata = Readonly<Record<string, string>>;

/**
 * All times are ISO 8601, UTC, milliseconds. `historyFrom`: everything that became visible until then is deleted.
 * `recordingStatus`: that of the best slot; null when no slot is left.
 */
export interface SessionRow {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly status: SessionStatus;
  readonly closeReason: CloseReason | null;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly closedAt: string | null;
  readonly historyFrom: string | null;
  readonly messageCount: number;
  readonly lastMessageAt: string | null;
  readonly recordingStatus: RecordingStatus | null;
  readonly connectedAt: string | null;
  readonly metadata: SessionMetadata;
  readonly externalId: string | null;
}

export interface StoredSession
  extends Omit<SessionRow, 'messageCount' | 'lastMessageAt' | 'metadata'> {
  readonly metadata: string;
  readonly messageCount: string;
  readonly lastAt: string | null;
}

export const SESSION_COLUMNS = `
  session.id,
  session.project_id as "projectId",
  session.name,
  session.status,
  ${closeReasonOf('session')} as "closeReason",
  session.created_by as "createdBy",
  session.created_at as "createdAt",
  session.updated_at as "updatedAt",
  session.closed_at as "closedAt",
  session.history_from as "historyFrom",
  session.metadata,
  session.external_id as "externalId",
  head.message_count as "messageCount",
  ${NEWEST_MESSAGE_AT} as "lastAt",
  recording.status as "recordingStatus",
  recording.connected_at as "connectedAt"`;

type FoundSession = StoredSession & { readonly memberRole: ProjectRole };

export const findSession = statement(
  'find_session',
  ({ id, userId }: { id: string; userId: string }) => [id, userId],
  ([found]: FoundSession[]) => found && { ...sessionRow(found), memberRole: found.memberRole },
)`
select membership.role as "memberRole", ${SESSION_COLUMNS}
from sessions session
join memberships membership
  on membership.project_id = session.project_id and membership.user_id = $2
join session_heads head on head.session_id = session.id
${RECORDING_STATE}
where session.id = $1
  and session.deleted_at is null`;

export const isSessionActive = statement('find_active_session', (id: string) => [id], hasRows)`
select from sessions where id = $1 and status = 'ACTIVE' and deleted_at is null`;

/** Returns the CLOSED sessions whose rooms may be deleted: no live recorder has a slot of them, or `LEAVE_TIME` is over. */
export const listFinishedSessions = statement(
  'list_finished_sessions',
  (ids: readonly string[]) => [ids],
  (rows: { id: string }[]) => rows.map(({ id }) => id),
)`
select session.id
from sessions session
where session.id = any ($1::uuid[])
  and ${isFinished('session')}`;

export function sessionRow(stored: StoredSession): SessionRow {
  const messageCount = Number(stored.messageCount);
  return {
    id: stored.id,
    projectId: stored.projectId,
    name: stored.name,
    status: stored.status,
    closeReason: stored.closeReason,
    createdBy: stored.createdBy,
    createdAt: stored.createdAt,
    updatedAt: stored.updatedAt,
    closedAt: stored.closedAt,
    historyFrom: stored.historyFrom,
    messageCount,
    lastMessageAt: stored.lastAt,
    recordingStatus: stored.recordingStatus,
    connectedAt: stored.connectedAt,
    metadata: JSON.parse(stored.metadata),
    externalId: stored.externalId,
  };
}
