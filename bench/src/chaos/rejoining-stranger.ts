import { type LocalParticipant, Room, RoomEvent } from '@livekit/rtc-node';
import { pause, withDeadline } from '@session/kit';
import { releaseRoom, roomOptions } from '@session/media';

const RETRY_MS = 500;
const JOIN_TIMEOUT_MS = 15_000;
const SILENCE_MS = 100;
/**
 * How long a stranger sends no chat message after a join, because LiveKit's SDK drops those of an unannounced sender
 * (docs/history.md, "Whose words"). The server announces the stranger within 3 s, on two busy cores a little later.
 */
const UNANNOUNCED_MS = 4000;

/** Uses only LiveKit's SDK, and so does not announce itself. */
export class RejoiningStranger implements AsyncDisposable {
  readonly #leaving = new AbortController();
  readonly #staying: Promise<void>;
  #self: LocalParticipant | undefined;
  #announced: LocalParticipant | undefined;

  constructor(url: string, token: () => Promise<string>) {
    this.#staying = this.#stay(url, token);
  }

  get self(): LocalParticipant | undefined {
    return this.#self;
  }

  /** The participant, once the server must have announced it, so that its chat messages arrive; undefined before that. */
  get announced(): LocalParticipant | undefined {
    return this.#announced;
  }

  async #stay(url: string, token: () => Promise<string>): Promise<void> {
    const { signal } = this.#leaving;
    while (!signal.aborted) {
      const room = new Room();
      const over = new AbortController();
      room.on(RoomEvent.Disconnected, () => over.abort());
      let down = new AbortController();
      // The SDK joins again by itself, and keeps the room.
      room.on(RoomEvent.Reconnecting, () => {
        down.abort();
        this.#fallSilent();
      });
      room.on(RoomEvent.Reconnected, () => {
        down = new AbortController();
        void this.#talk(room, AbortSignal.any([over.signal, down.signal]));
      });
      try {
        await withDeadline(room.connect(url, await token(), roomOptions()), JOIN_TIMEOUT_MS);
        await this.#talk(room, AbortSignal.any([over.signal, down.signal]));
        await pause(2 ** 31 - 1, AbortSignal.any([over.signal, signal]));
      } catch {
        await pause(RETRY_MS, signal);
      }
      this.#fallSilent();
      await releaseRoom(room).catch(() => {});
    }
  }

  async #talk(room: Room, over: AbortSignal): Promise<void> {
    const isOver = AbortSignal.any([over, this.#leaving.signal]);
    if (!(await pause(SILENCE_MS, isOver)) || !room.isConnected) return;
    this.#self = room.localParticipant;
    if (await pause(UNANNOUNCED_MS - SILENCE_MS, isOver)) this.#announced = room.localParticipant;
  }

  #fallSilent(): void {
    this.#self = undefined;
    this.#announced = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leaving.abort();
    await this.#staying;
  }
}
