import { classOfError } from '@session/db';
import type { LostMessages, QueuedMessage, StorableMessage } from '../../message-path.ts';
import { isLost, lostMessage } from '../queued-message.ts';

export interface RefusalDeps {
  /** `refused`: the message that the database refused. Its sender is not asked to send it again. */
  readonly reportLoss: (lost: LostMessages, refused?: StorableMessage) => Promise<void>;
  readonly reject: (queued: QueuedMessage, error: unknown) => Promise<void>;
}

/**
 * Reports a message as a gap, and then rejects it for good. Throws when the gap cannot be stored now. After a crash in
 * between, both steps are repeated.
 */
export async function refuseMessage(
  { reportLoss, reject }: RefusalDeps,
  queued: QueuedMessage,
  error: unknown,
): Promise<void> {
  // A refused report of a gap is not reported as a gap again, because that report would be refused too.
  if (!isLost(queued) && queued.kind !== 'recording_gap') {
    const mark: LostMessages = { ...lostMessage(queued), reason: 'refused' };
    await reportLoss(mark, queued).catch((failure: unknown) => {
      // A gap that can never be stored must not keep the message in the queue.
      if (classOfError(failure) !== 'value') throw failure;
    });
  }
  await reject(queued, error);
}
