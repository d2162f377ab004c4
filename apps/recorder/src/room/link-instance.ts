import type { Room } from '@livekit/rtc-node';
import { withDeadline } from '@session/kit';
import type { RoomInstance } from '@session/media';

/** The server reports the SID of a room a moment after the join. */
const SID_TIMEOUT_MS = 1000;

/**
 * Which room of its name a connection is in. After a full reconnect of the SDK that may be another room than before, and the
 * SDK goes on to name the room before. A resume stays in the same room.
 */
export class LinkInstance {
  readonly #room: Pick<Room, 'creationTime' | 'getSid'>;
  /** Whether the SDK has reconnected, and it is not known yet whether that was a resume. */
  #isUndecided = false;
  #hasReconnected = false;
  #assumed: RoomInstance | undefined;

  constructor(room: Pick<Room, 'creationTime' | 'getSid'>) {
    this.#room = room;
  }

  /** Notes that the SDK has reconnected. `proved` follows. */
  reconnected(): void {
    this.#isUndecided = true;
  }

  /** Notes that the connection is proved to receive, and whether its transport is the same as before. */
  proved(isResumed: boolean): void {
    if (this.#isUndecided && !isResumed) {
      this.#hasReconnected = true;
      this.#assumed = undefined;
    }
    this.#isUndecided = false;
  }

  /** Returns the SID of the room and the time of its creation, or undefined if they are not known. Never rejects. */
  async find(): Promise<RoomInstance | undefined> {
    if (this.#isUndecided) return undefined;
    if (this.#hasReconnected) return this.#assumed;
    const sid = await withDeadline(this.#room.getSid(), SID_TIMEOUT_MS).catch(() => '');
    return sid === '' ? undefined : { sid, createdAt: this.#room.creationTime.getTime() || null };
  }

  /** Notes which room the server has now. It counts if this room is not known: a full reconnect leads to the present room. */
  assume(instance: RoomInstance): void {
    if (this.#hasReconnected && !this.#isUndecided) this.#assumed ??= instance;
  }
}
