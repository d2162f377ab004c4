import type { LostMessages, LostSpan } from '../message-path.ts';
import type { RecorderQueries } from '../queries.ts';
import type { SlotKeeper } from './slot-keeper.ts';

interface LostTimeDeps {
  readonly recorderId: string;
  readonly queries: Pick<RecorderQueries, 'cutIntervals' | 'isIntervalOfDead'>;
  readonly slots: Pick<SlotKeeper, 'hasUnwritten' | 'isDatabaseOk' | 'verify'>;
}

const DATABASE_AWAY = Object.assign(new Error('the database is away'), { code: '08006' });
/** An error of the class `session`, because only the messages of that session wait behind the mark. */
const UNWRITTEN = Object.assign(new Error('intervals of the session are not written yet'), {
  code: '55P03',
});

/**
 * Cuts the time of lost messages out of this recorder's intervals. The time of lost messages that only the leader
 * stores is cut out of all intervals, because the other recorders drop their copies. Recorders that have declared this
 * leader dead store their copies, and keep that time. Throws when the database is away, or lacks an interval of this
 * recorder.
 */
export async function cutLostTime(
  { recorderId, queries, slots }: LostTimeDeps,
  lost: LostMessages,
): Promise<void> {
  const { sessionId, reason, led } = lost;
  const endReason = reason ?? 'storage_full';
  // An interval that is written after the cut would cover the lost time.
  await slots.verify();
  if (slots.hasUnwritten(sessionId)) throw slots.isDatabaseOk ? UNWRITTEN : DATABASE_AWAY;
  const isLeft = led && (await queries.isIntervalOfDead({ sessionId, id: led.intervalId }));
  const cut = async ({ receivedAt, until }: LostSpan, of: string | null) => {
    const from = new Date(receivedAt).toISOString();
    const to = new Date(until + 1).toISOString();
    await queries.cutIntervals({ sessionId, recorderId: of, from, to, endReason });
  };
  await cut(lost, recorderId);
  if (led && !isLeft) await cut(led, null);
}
