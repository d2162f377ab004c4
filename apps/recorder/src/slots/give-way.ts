import { isRecorder } from '@session/contract/room';
import type { GiveWayQueries } from '@session/db';
import { hasCode } from '@session/kit';
import type { RoomService } from '@session/media';
import type { Logger } from 'pino';
import { validate as isUuid } from 'uuid';

/** A session that this recorder records, as far as it may give way. */
interface HeldSession {
  readonly sessionId: string;
  /** Whether it is recorded, and nobody is in its room as far as the recorder knows. */
  readonly isEmpty: boolean;
}

export interface GiveWayDeps {
  readonly recorderId: string;
  readonly queries: GiveWayQueries;
  readonly rooms: Pick<RoomService, 'listParticipants' | 'listRooms'>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/** How many sessions are asked for at once. */
const MAX_ASKED = 16;

/**
 * Moves slots when rooms are short: a session in which nobody is gives way to one that participants have joined, and that
 * waits because all recorders are at their limits. It waits itself then, until a room is free or somebody joins it.
 *
 * The media server is asked who is in a room: the recorder's own room learns of participants up to 3 s late. Observers and
 * recorders are nobody, agents are somebody.
 */
export class GiveWay {
  readonly #deps: GiveWayDeps;

  constructor(deps: GiveWayDeps) {
    this.#deps = deps;
  }

  /** Returns the sessions that gave way; none while the media server does not answer. Throws when the database is away. */
  async move(held: readonly HeldSession[], fromDead: boolean): Promise<string[]> {
    const { recorderId, queries, rooms, log } = this.#deps;
    if (!held.some(({ isEmpty }) => isEmpty)) return [];
    try {
      const names = (await rooms.listRooms()).filter((name) => isUuid(name));
      const waiting = await queries.listWaitingSessions(recorderId, names, fromDead);
      const joined = await this.#filter(waiting, false);
      if (joined.length === 0) return [];
      const candidates = held.filter(({ isEmpty }) => isEmpty).slice(0, MAX_ASKED);
      const empty = await this.#filter(
        candidates.map(({ sessionId }) => sessionId),
        true,
      );
      const moved = await queries.giveWay({ recorderId, empty, joined, fromDead });
      if (moved.length > 0)
        log.info({ sessions: moved, joined }, 'empty sessions gave way to joined ones');
      return moved;
    } catch (err) {
      if (!hasCode(err, 'media_unavailable')) throw err;
      log.warn({ err }, 'skipping give-way: media server unreachable');
      return [];
    }
  }

  /** Returns those of the sessions whose rooms are empty, or those where somebody is. */
  async #filter(sessionIds: readonly string[], isEmpty: boolean): Promise<string[]> {
    const counted = sessionIds.map(async (id) => {
      const participants = await this.#deps.rooms.listParticipants(id);
      const others = participants.filter((one) => !one.isHidden && !isRecorder(one));
      return (others.length === 0) === isEmpty ? [id] : [];
    });
    return (await Promise.all(counted)).flat();
  }
}
