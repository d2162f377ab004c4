import { statement } from '../../statement/statement.ts';
import { isDead } from '../recorder-liveness.ts';
import { SESSIONS_OF_MEMBER } from '../sessions/member-sessions.ts';

/** `sessions`: how many of the user's sessions it holds. `clockOffsetMs`: how far its clock is ahead of the database's. */
export interface RecorderStatistics {
  readonly id: string;
  readonly status: 'live' | 'draining' | 'stale';
  readonly sessions: number;
  readonly heartbeatAt: string;
  readonly clockOffsetMs: number;
}

/**
 * Counts recorders that hold sessions. `staleRecorders` sent no heartbeat for 15 s; `recordersWithWrongClock` differ from the
 * database's clock by more than 5 s.
 */
export interface RecorderDrift {
  readonly staleRecorders: number;
  readonly recordersOverCapacity: number;
  readonly recordersWithWrongClock: number;
}

export const readRecorderStatistics = statement(
  'list_recorders_of_user',
  (userId: string) => [userId],
  (
    rows: (RecorderStatistics & {
      readonly isOverCapacity: boolean;
      readonly isClockWrong: boolean;
    })[],
  ) => {
    const live = rows.filter(({ status }) => status !== 'stale');
    return {
      recorders: rows.map(({ id, status, sessions, heartbeatAt, clockOffsetMs }) => ({
        id,
        status,
        sessions,
        heartbeatAt,
        clockOffsetMs,
      })),
      drift: {
        staleRecorders: rows.filter(({ status }) => status === 'stale').length,
        recordersOverCapacity: live.filter(({ isOverCapacity }) => isOverCapacity).length,
        recordersWithWrongClock: live.filter(({ isClockWrong }) => isClockWrong).length,
      },
    };
  },
)`
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
order by recorder.id`;

export const findLastWebhook = statement(
  'find_last_webhook',
  () => [],
  ([row]: { lastAt: string | null }[]) => row?.lastAt ?? null,
)`
select max(webhook_at) as "lastAt" from recorders`;
