import {
  AudioFrame,
  AudioSource,
  ConnectionState,
  LocalAudioTrack,
  type LocalParticipant,
  type Room,
  RoomEvent as SdkEvent,
  TrackPublishOptions,
  TrackSource,
} from '@livekit/rtc-node';
import { AppError } from '@session/kit';

/** How much sound the SDK holds that is not sent yet: a stop takes effect so late at most. */
const QUEUE_MS = 200;
/** The SDK takes sound in parts of this length. */
const PART_MS = 20;

/** Our own microphone in a room: the others hear what is written to it. */
export class AudioOutput implements AsyncDisposable {
  readonly #room: Room;
  readonly #source: AudioSource;
  readonly #track: LocalAudioTrack;
  readonly #closing = Promise.withResolvers<void>();
  #isClosed = false;
  #part: Promise<void> = Promise.resolve();

  /** Publishes a microphone with this sample rate. Throws when the server refuses it. */
  static async publish(
    room: Room,
    self: LocalParticipant,
    sampleRate: number,
  ): Promise<AudioOutput> {
    const source = new AudioSource(sampleRate, 1, QUEUE_MS);
    const track = LocalAudioTrack.createAudioTrack('microphone', source);
    try {
      const options = new TrackPublishOptions({ source: TrackSource.SOURCE_MICROPHONE });
      await self.publishTrack(track, options);
    } catch (error) {
      await track.close();
      throw error;
    }
    return new AudioOutput(room, source, track);
  }

  private constructor(room: Room, source: AudioSource, track: LocalAudioTrack) {
    this.#room = room;
    this.#source = source;
    this.#track = track;
  }

  /** Samples a second. */
  get sampleRate(): number {
    return this.#source.sampleRate;
  }

  /**
   * Sends sound of one channel after the sound written before. Resolves when less than `QUEUE_MS` of it is still to be sent,
   * or when `signal` aborts. Waits while the connection is interrupted. Throws `media_unavailable` when we are out of the
   * room. One write must end before the next one.
   */
  async write(samples: Int16Array, signal?: AbortSignal): Promise<void> {
    const length = (this.sampleRate * PART_MS) / 1000;
    for (let offset = 0; offset < samples.length; offset += length) {
      await this.#untilConnected(signal);
      if (signal?.aborted) return;
      // A buffer of its own: the SDK sends from the start of the buffer, wherever a view of it begins.
      const part = samples.slice(offset, offset + length);
      const frame = new AudioFrame(part, this.sampleRate, 1, part.length);
      this.#part = this.#source.captureFrame(frame);
      await this.#part;
    }
  }

  /** Resolves when all that was written is sent. */
  async untilSent(): Promise<void> {
    await Promise.race([this.#source.waitForPlayout(), this.#closing.promise]);
  }

  /** Drops what was written and is not sent yet. */
  clear(): void {
    if (!this.#isClosed) this.#source.clearQueue();
  }

  /** Stops sending. The participants hear nothing more of it. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.clear();
    this.#isClosed = true;
    this.#closing.resolve();
    // The SDK would never answer for a part whose source is closed.
    await this.#part.catch(() => {});
    const { sid } = this.#track;
    const self = this.#room.localParticipant;
    if (sid !== undefined && this.#room.isConnected)
      await self?.unpublishTrack(sid).catch(() => {});
    await this.#track.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #untilConnected(signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      const { connectionState: state } = this.#room;
      if (this.#isClosed || state === ConnectionState.CONN_DISCONNECTED) {
        throw new AppError('media_unavailable', 'cannot send sound: we are out of the room');
      }
      if (signal?.aborted || state === ConnectionState.CONN_CONNECTED) return;
      const changed = Promise.withResolvers<void>();
      const resolve = () => changed.resolve();
      this.#room.once(SdkEvent.ConnectionStateChanged, resolve);
      signal?.addEventListener('abort', resolve, { once: true });
      await Promise.race([changed.promise, this.#closing.promise]);
      this.#room.off(SdkEvent.ConnectionStateChanged, resolve);
      signal?.removeEventListener('abort', resolve);
    }
  }
}
