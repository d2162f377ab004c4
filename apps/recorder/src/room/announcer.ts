import { LRUCache } from 'lru-cache';
import type { RecorderLog } from '../process/log.ts';

const MAX_STAYS = 10_000;

interface AnnouncerDeps {
  readonly announceParticipant: (room: string, identity: string) => Promise<void>;
  readonly log: RecorderLog;
}

interface Stay {
  readonly identity: string;
  readonly sid: string;
}

/**
 * Makes the media server announce participants at once and not up to 3 s late, because their packets have no sender
 * until then.
 */
export class Announcer {
  readonly #deps: AnnouncerDeps;
  readonly #announced = new LRUCache<string, true>({ max: MAX_STAYS });

  constructor(deps: AnnouncerDeps) {
    this.#deps = deps;
  }

  announce(room: string, stay: Stay): void {
    if (this.#announced.has(stay.sid)) return;
    this.#announced.set(stay.sid, true);
    void this.#announce(room, stay);
  }

  async #announce(room: string, { identity, sid }: Stay): Promise<void> {
    try {
      await this.#deps.announceParticipant(room, identity);
    } catch (err) {
      // The participant has left, or the server did not answer. The next event without a sender causes another attempt.
      this.#announced.delete(sid);
      this.#deps.log.debug({ err, sessionId: room, identity }, 'announcing participant failed');
    }
  }
}
