import { isoFromText, isoFromTextOrNull } from '../../columns/iso-time.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { isDead } from '../recorder-liveness.ts';
import { SESSIONS_OF_MEMBER } from '../sessions/member-sessions.ts';

/** `sessions`: those of the user that it holds. `clockOffsetMs`: how far its clock is ahead of the database's. */
export interface RecorderStatistics {
  readonly id: string;
  readonly status: 'live' | 'draining' | 'stale';
  readonly sessions: number;
  readonly heartbeatAt: string;
  readonly clockOffsetMs: number;
}

/**
 * Of recorders that hold sessions: `staleRecorders` sent no heartbeat for 15 s; `recordersOverCapacity`;
 * `recordersWithWrongClock` differ from the database's clock by more than 5 s.
 */
export interface RecorderDrift {
  readonly staleRecorders: number;
  readonly recordersOverCapacity: number;
  readonly recordersWithWrongClock: number;
}

export const LIST_RECORDERS_OF_USER = statement<
  [userId: string],
  RecorderStatistics & { readonly isOverCapacity: boolean; readonly isClockWrong: boolean }
>(
  'list_recorders_of_user',
  `
select
  recorder.id,
  count(*)::int as sessions,
  recorder.heartbeat_at as "heartbeatAt",
  recorder.clock_offset_ms::float8 as "clockOffsetMs",
  recorder.load > recorder.capacity as "isOverCapacity",
  abs(recorder.clock_offset_ms) > 5000 as "isClockWrong",
  case
    when ${isDead('recorder')} then 'stale'
    when recorder.draining then 'draining'
    else 'live'
  end as status
${SESSIONS_OF_MEMBER}
join recording_assignments slot on slot.session_id = session.id
join recorders recorder on recorder.id = slot.recorder_id
where membership.user_id = $1
group by recorder.id
order by recorder.id`,
);

/** Returns the recorders that hold sessions of the user's projects, in the order of their ids, and how many of them drift. */
export async function readRecorderStatistics(
  database: DatabaseAccess,
  userId: string,
): Promise<{ readonly recorders: RecorderStatistics[]; readonly drift: RecorderDrift }> {
  const rows = await LIST_RECORDERS_OF_USER.run(database, userId);
  const live = rows.filter(({ status }) => status !== 'stale');
  return {
    recorders: rows.map(({ id, status, sessions, heartbeatAt, clockOffsetMs }) => ({
      id,
      status,
      sessions,
      heartbeatAt: isoFromText(heartbeatAt),
      clockOffsetMs,
    })),
    drift: {
      staleRecorders: rows.filter(({ status }) => status === 'stale').length,
      recordersOverCapacity: live.filter(({ isOverCapacity }) => isOverCapacity).length,
      recordersWithWrongClock: live.filter(({ isClockWrong }) => isClockWrong).length,
    },
  };
}

export const FIND_LAST_WEBHOOK = statement<[], { lastAt: string | null }>(
  'find_last_webhook',
  `select max(webhook_at) as "lastAt" from recorders`,
);

/** Returns when a recorder received its last webhook of the media server (ISO 8601); null if none has since it started. */
export async function findLastWebhook(database: DatabaseAccess): Promise<string | null> {
  const [row] = await FIND_LAST_WEBHOOK.run(database);
  return isoFromTextOrNull(row?.lastAt ?? null);
}
