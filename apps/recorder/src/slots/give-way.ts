import { isRecorder } from '@session/contract/room';
import { hasCode } from '@session/kit';
import type { RoomService } from '@session/media';
import { validate as isUuid } from 'uuid';
import type { RecorderLog } from '../process/log.ts';
import type { RecorderQueries } from '../queries.ts';

interface HeldSession {
  readonly sessionId: string;
  readonly isEmpty: boolean;
}

export interface GiveWayDeps {
  readonly recorderId: string;
  readonly queries: Pick<RecorderQueries, 'giveWay' | 'listWaitingSessions'>;
  readonly rooms: Pick<RoomService, 'listParticipants' | 'listRooms'>;
  readonly log: RecorderLog;
}

const MAX_ASKED = 16;

/**
 * When all recorders are at their limit of rooms, a session without participants gives way to a waiting session that
 * somebody has joined. The empty session then waits for a recorder below its limit, or for a join. The media server is
 * asked, because its list has participants up to 3 s before a room reports them. Agents count as participants; observers
 * and recorders do not.
 */
export class GiveWay {
  readonly #deps: GiveWayDeps;

  constructor(deps: GiveWayDeps) {
    this.#deps = deps;
  }

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

  async #filter(sessionIds: readonly string[], isEmpty: boolean): Promise<string[]> {
    const counted = sessionIds.map(async (id) => {
      const participants = await this.#deps.rooms.listParticipants(id);
      const others = participants.filter((one) => !one.isHidden && !isRecorder(one));
      return (others.length === 0) === isEmpty ? [id] : [];
    });
    return (await Promise.all(counted)).flat();
  }
}
