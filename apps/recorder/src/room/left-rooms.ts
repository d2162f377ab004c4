import { pause } from '@session/kit';
import type { RoomLink } from './room-link.ts';

const EVERY_MS = 500;
/** Corresponds to 1.5 s: a leave takes another connection than the last words, and may overtake them. */
const EMPTY_LOOKS = 4;

type LeftRoom = Pick<RoomLink, 'isReceiving' | 'lostSince' | 'roster'>;

export class LeftRooms<L extends LeftRoom> {
  readonly #links = new Set<L>();

  get links(): readonly L[] {
    return [...this.#links];
  }

  has(link: L): boolean {
    return this.#links.has(link);
  }

  isNeeded(left: L, joined: L): boolean {
    if (left.lostSince === undefined || !left.isReceiving) return false;
    const sids = new Set(joined.roster().map(({ participant }) => participant.sid));
    const behind = left.roster();
    return behind.length > 0 && !behind.some(({ participant }) => sids.has(participant.sid));
  }

  async keep(link: L, signal: AbortSignal): Promise<void> {
    this.#links.add(link);
    let emptyLooks = 0;
    while (link.isReceiving && emptyLooks < EMPTY_LOOKS && (await pause(EVERY_MS, signal))) {
      emptyLooks = link.roster().length === 0 ? emptyLooks + 1 : 0;
    }
    this.#links.delete(link);
  }
}
