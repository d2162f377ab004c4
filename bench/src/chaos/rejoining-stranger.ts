import { type LocalParticipant, Room, RoomEvent } from '@livekit/rtc-node';
import { pause, withDeadline } from '@session/kit';
import { releaseRoom, roomOptions } from '@session/media';

const RETRY_MS = 500;
/** Long enough for a machine that also runs the whole stack. */
const JOIN_TIMEOUT_MS = 15_000;
/**
 * How long the participant is silent after each join: the server announces it up to 3 s late. What is said earlier may have no
 * sender, and LiveKit's SDK drops such chat messages: no recorder can know of them (docs/architecture.md, "Whose words").
 */
const SILENCE_MS = 4000;

/**
 * A participant that uses LiveKit's SDK alone, and so does not announce itself. Whenever its connection ends, for whatever
 * reason, it joins again.
 */
export class RejoiningStranger implements AsyncDisposable {
  readonly #leaving = new AbortController();
  readonly #staying: Promise<void>;
  #self: LocalParticipant | undefined;

  constructor(url: string, token: () => Promise<string>) {
    this.#staying = this.#stay(url, token);
  }

  /** The participant, or undefined while it is not connected. */
  get self(): LocalParticipant | undefined {
    return this.#self;
  }

  async #stay(url: string, token: () => Promise<string>): Promise<void> {
    const { signal } = this.#leaving;
    while (!signal.aborted) {
      const room = new Room();
      const over = new AbortController();
      room.on(RoomEvent.Disconnected, () => over.abort());
      // The SDK joins again by itself, and keeps the room.
      room.on(RoomEvent.Reconnecting, () => {
        this.#self = undefined;
      });
      room.on(RoomEvent.Reconnected, () => void this.#talk(room, over.signal));
      try {
        await withDeadline(room.connect(url, await token(), roomOptions()), JOIN_TIMEOUT_MS);
        await this.#talk(room, over.signal);
        await pause(2 ** 31 - 1, AbortSignal.any([over.signal, signal]));
      } catch {
        await pause(RETRY_MS, signal);
      }
      this.#self = undefined;
      await releaseRoom(room).catch(() => {});
    }
  }

  async #talk(room: Room, over: AbortSignal): Promise<void> {
    await pause(SILENCE_MS, AbortSignal.any([over, this.#leaving.signal]));
    if (!over.aborted && room.isConnected) this.#self = room.localParticipant;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leaving.abort();
    await this.#staying;
  }
}
