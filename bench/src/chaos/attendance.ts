import type { RoomEvent } from '@session/contract/room';
import { pause } from '@session/kit';
import { type JoinedRoom, joinRoom } from '@session/media';

const AGAIN_MS = 500;
/** Long enough for a machine that is busy with all the rest of it. */
const JOIN_MS = 15_000;

/** Somebody who stays in a room: who is thrown out of it, by whatever happens, comes back. */
export class Attendance implements AsyncDisposable {
  readonly #leaving = new AbortController();
  readonly #staying: Promise<void>;
  #room: JoinedRoom | undefined;

  constructor(
    url: string,
    token: () => Promise<string>,
    onEvent: (event: RoomEvent) => void = () => {},
  ) {
    this.#staying = this.#stay(async () => {
      return await joinRoom({ url, token: await token(), onEvent, timeoutMs: JOIN_MS });
    });
  }

  /** The room, while there is one. */
  get room(): JoinedRoom | undefined {
    return this.#room;
  }

  async #stay(join: () => Promise<JoinedRoom>): Promise<void> {
    const left = new Promise<void>((resolve) => {
      this.#leaving.signal.addEventListener('abort', () => resolve());
    });
    while (!this.#leaving.signal.aborted) {
      this.#room = await join().catch(() => undefined);
      if (this.#room) await Promise.race([this.#room.closed, left]);
      else await pause(AGAIN_MS, this.#leaving.signal);
      await this.#room?.leave().catch(() => {});
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leaving.abort();
    await this.#staying;
  }
}
