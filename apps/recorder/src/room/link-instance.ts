import type { Room } from '@livekit/rtc-node';
import { withDeadline } from '@session/kit';
import type { RoomInstance } from '@session/media';

const SID_TIMEOUT_MS = 1000;

/**
 * Finds out in which room of its name a connection is. After a full reconnect it may be another room, although the SDK still
 * names the former one.
 */
export class LinkInstance {
  readonly #room: Pick<Room, 'creationTime' | 'getSid'>;
  #isUndecided = false;
  #hasReconnected = false;
  #assumed: RoomInstance | undefined;

  constructor(room: Pick<Room, 'creationTime' | 'getSid'>) {
    this.#room = room;
  }

  reconnected(): void {
    this.#isUndecided = true;
  }

  proved(isResumed: boolean): void {
    if (this.#isUndecided && !isResumed) {
      this.#hasReconnected = true;
      this.#assumed = undefined;
    }
    this.#isUndecided = false;
  }

  async find(): Promise<RoomInstance | undefined> {
    if (this.#isUndecided) return undefined;
    if (this.#hasReconnected) return this.#assumed;
    const sid = await withDeadline(this.#room.getSid(), SID_TIMEOUT_MS).catch(() => '');
    return sid === '' ? undefined : { sid, createdAt: this.#room.creationTime.getTime() || null };
  }

  assume(instance: RoomInstance): void {
    if (this.#hasReconnected && !this.#isUndecided) this.#assumed ??= instance;
  }
}
