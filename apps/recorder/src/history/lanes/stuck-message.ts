import { isDatabaseAway } from '@session/db';
import type { QueuedMessage, StoreResult } from '../../message-path.ts';

/** For how long the first message of a lane has failed, alone and for a reason that may be its own. */
export class StuckMessage {
  readonly #limitMs: number;
  #id: string | undefined;
  #since = 0;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Notes that the message failed alone. Returns whether it has failed for too long. */
  isDue(queued: QueuedMessage, { error, reason }: StoreResult): boolean {
    const isOwn = !isDatabaseAway(error ?? reason);
    if (!isOwn || this.#id !== idOf(queued)) {
      this.#id = isOwn ? idOf(queued) : undefined;
      this.#since = performance.now();
    }
    return isOwn && performance.now() - this.#since >= this.#limitMs;
  }
}

/** A message on the disk is read again for each attempt, so it is known by its id. A mark of lost messages has none. */
function idOf(queued: QueuedMessage): string {
  return 'id' in queued ? queued.id : `mark ${queued.receivedAt}`;
}
