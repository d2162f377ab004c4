import type { RoomEvent } from '@session/contract/room';
import { pause } from '@session/kit';
import { type JoinedRoom, joinRoom } from '@session/media';

const RETRY_MS = 500;
/** Long enough for a machine that also runs the whole stack. */
const JOIN_TIMEOUT_MS = 15_000;

export class RejoiningParticipant implements AsyncDisposable {
  readonly #leaving = new AbortController();
  readonly #staying: Promise<void>;
  #room: JoinedRoom | undefined;

  constructor(
    url: string,
    token: () => Promise<string>,
    onEvent: (event: RoomEvent) => void = () => {},
  ) {
    this.#staying = this.#stay(async () => {
      return await joinRoom({ url, token: await token(), onEvent, timeoutMs: JOIN_TIMEOUT_MS });
    });
  }

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
      else await pause(RETRY_MS, this.#leaving.signal);
      await this.#room?.leave().catch(() => {});
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leaving.abort();
    await this.#staying;
  }
}
