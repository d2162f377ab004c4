import { repeat } from '@session/kit';
import type { ListedRoom, RoomInstance } from '@session/media';
import { LRUCache } from 'lru-cache';
import type { RecorderLog } from '../process/log.ts';
import type { Clock } from '../process/recorder-clock.ts';
import type { RoomLink } from './room-link.ts';

const PATIENCE_MS = 60_000;
const MAX_OTHER_ROOMS = 1000;

interface WatchDeps {
  readonly findRooms: (names: readonly string[]) => Promise<ReadonlyMap<string, ListedRoom>>;
  readonly everyMs: number;
  readonly log: RecorderLog;
  readonly clock: Clock;
}

type WatchedLink = Pick<RoomLink, 'assumeInstance' | 'giveUp' | 'instance' | 'roster' | 'state'>;

interface WatchedRoom {
  readonly sessionId: string;
  readonly connection: { readonly link: WatchedLink | undefined };
  readonly changed: () => void;
  listedAs?: string;
  agreedAt: number;
  suspect?: string | undefined;
}

/**
 * Finds a second room of a session. Two media servers create one when their Redis loses its data: new participants meet
 * there, and the recorder stays in the first room. So the server is asked regularly, and each webhook is compared. If there
 * is another room, the recorder connects again.
 */
export class RoomWatch implements AsyncDisposable {
  readonly #deps: WatchDeps;
  readonly #watched = new Map<string, WatchedRoom>();
  readonly #otherRooms = new LRUCache<string, true>({ max: MAX_OTHER_ROOMS, ttl: PATIENCE_MS });
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;

  constructor(deps: WatchDeps) {
    this.#deps = deps;
    this.#running = repeat(deps.everyMs, this.#ending.signal, () => this.#ask());
  }

  watch(sessionId: string, connection: WatchedRoom['connection'], changed: () => void): Disposable {
    const agreedAt = this.#deps.clock.now();
    const room: WatchedRoom = { sessionId, connection, changed, agreedAt };
    this.#watched.set(sessionId, room);
    return {
      [Symbol.dispose]: () => {
        if (this.#watched.get(sessionId) === room) this.#watched.delete(sessionId);
      },
    };
  }

  saw(sessionId: string, reported: RoomInstance): void {
    const room = this.#watched.get(sessionId);
    if (!room) return;
    room.changed();
    void this.#compareReported(room, reported);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #ask(): Promise<void> {
    const watched = [...this.#watched];
    if (watched.length === 0) return;
    const askedAt = this.#deps.clock.now();
    const found = await this.#deps.findRooms(watched.map(([name]) => name)).catch(() => undefined);
    for (const [name, room] of watched) {
      const instance = found?.get(name);
      const listedAs = instance && `${instance.sid} ${instance.participantCount}`;
      if (!listedAs || listedAs !== room.listedAs) room.changed();
      if (listedAs) room.listedAs = listedAs;
      if (instance) await this.#compareListed(room, instance, askedAt);
    }
  }

  async #compareReported(room: WatchedRoom, reported: RoomInstance): Promise<void> {
    const { link } = room.connection;
    const own = await link?.instance();
    if (link && own && isNewer(reported, own)) this.#giveUp(room, link, reported);
  }

  /**
   * Compares the room that the server lists with the recorder's room. The answer may be older than the recorder's room,
   * so only the second answer in a row that names the same other room counts.
   */
  async #compareListed(room: WatchedRoom, listed: RoomInstance, askedAt: number): Promise<void> {
    const { link } = room.connection;
    const own = await link?.instance();
    if (!own) return link?.assumeInstance(listed);
    if (!link) return;
    const isOther = isNewer(listed, own);
    if (!isOther) room.agreedAt = askedAt;
    if (isOther && room.suspect === listed.sid) this.#giveUp(room, link, listed);
    room.suspect = isOther ? listed.sid : undefined;
  }

  #giveUp(room: WatchedRoom, link: WatchedLink, other: RoomInstance): void {
    if (link.state !== 'up' || this.#otherRooms.has(other.sid)) return;
    this.#otherRooms.set(other.sid, true);
    // `agreedAt` may be later than the other room's creation: each node lists its own room whenever that room changes, so the
    // list may have named the recorder's room once more.
    const since = other.createdAt ?? room.agreedAt;
    room.agreedAt = this.#deps.clock.now();
    const { sessionId } = room;
    const leftBehind = link.roster().length;
    this.#deps.log.error(
      { sessionId, otherRoom: other.sid, leftBehind },
      'reconnecting: media server has another room of this name',
    );
    link.giveUp('ROOM_SPLIT', Math.min(since, room.agreedAt));
  }
}

/**
 * Returns whether `room` is another room than `own`, and not an older one. A webhook may be late, and the list may name
 * an older room: each node lists its own room whenever that room changes.
 */
function isNewer(room: RoomInstance, own: RoomInstance): boolean {
  const isOlder = (room.createdAt ?? Number.POSITIVE_INFINITY) < (own.createdAt ?? 0);
  return room.sid !== own.sid && !isOlder;
}
