import type { LostMessages, LostSpan } from '../message-path.ts';
import type { RecorderQueries } from '../queries.ts';

interface LostTimeDeps {
  readonly recorderId: string;
  readonly queries: Pick<RecorderQueries, 'cutIntervals'>;
  readonly slots: { verify(): Promise<void> };
}

/**
 * Takes the time of lost messages out of this recorder's intervals, and that of messages which only the leader stores out of
 * all intervals: the others have received those, and drop them. Throws when the database is away.
 */
export async function cutLostTime(
  { recorderId, queries, slots }: LostTimeDeps,
  lost: LostMessages,
): Promise<void> {
  const { sessionId, reason, led } = lost;
  const endReason = reason ?? 'storage_full';
  // First write all open reports (`verify`): only stored intervals can be cut.
  await slots.verify();
  const cut = async ({ receivedAt, until }: LostSpan, of: string | null) => {
    const from = new Date(receivedAt).toISOString();
    const to = new Date(until + 1).toISOString();
    await queries.cutIntervals({ sessionId, recorderId: of, from, to, endReason });
  };
  await cut(lost, recorderId);
  if (led) await cut(led, null);
}
