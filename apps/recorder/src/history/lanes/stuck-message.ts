import { isDatabaseAway } from '@session/db';
import type { QueuedMessage, StoreResult } from '../../message-path.ts';

export class StuckMessage {
  readonly #limitMs: number;
  #id: string | undefined;
  #since = 0;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /**
   * Notes that the first message of the lane failed alone. Returns whether it has failed for too long, for a reason that may
   * lie in the message.
   */
  isDue(queued: QueuedMessage, { error, reason }: StoreResult): boolean {
    const isOwn = !isDatabaseAway(error ?? reason);
    if (!isOwn || this.#id !== idOf(queued)) {
      this.#id = isOwn ? idOf(queued) : undefined;
      this.#since = performance.now();
    }
    return isOwn && performance.now() - this.#since >= this.#limitMs;
  }
}

/**
 * Returns an id that is the same in each attempt to store a message. Object identity does not suffice, because messages
 * on disk are read again for each attempt. A mark of lost messages has no id.
 */
function idOf(queued: QueuedMessage): string {
  return 'id' in queued ? queued.id : `mark ${queued.receivedAt}`;
}
