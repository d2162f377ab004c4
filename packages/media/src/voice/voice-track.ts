import {
  AudioFrame,
  AudioSource,
  ConnectionState,
  LocalAudioTrack,
  type LocalParticipant,
  type LocalTrackPublication,
  type Room,
  RoomEvent as SdkEvent,
  TrackPublishOptions,
  TrackSource,
} from '@livekit/rtc-node';
import { AppError } from '@session/kit';

const QUEUE_MS = 200;
const PART_MS = 20;

export class VoiceTrack implements AsyncDisposable {
  readonly rate: number;
  readonly #room: Room;
  readonly #source: AudioSource;
  readonly #track: LocalAudioTrack;
  readonly #closing = Promise.withResolvers<void>();
  #isClosed = false;
  #isHeard = false;
  #part: Promise<void> = Promise.resolve();

  private constructor(room: Room, source: AudioSource, track: LocalAudioTrack) {
    this.#room = room;
    this.#source = source;
    this.#track = track;
    this.rate = source.sampleRate;
  }

  static async publish(room: Room, self: LocalParticipant, rate: number): Promise<VoiceTrack> {
    const source = new AudioSource(rate, 1, QUEUE_MS);
    const track = LocalAudioTrack.createAudioTrack('voice', source);
    try {
      const options = new TrackPublishOptions({ source: TrackSource.SOURCE_MICROPHONE });
      const publication = await self.publishTrack(track, options);
      const voice = new VoiceTrack(room, source, track);
      void voice.#awaitListener(publication);
      return voice;
    } catch (error) {
      await track.close();
      throw error;
    }
  }

  /** Whether any participant has ever subscribed to the track. The SDK does not report the end of a subscription. */
  get isHeard(): boolean {
    return this.#isHeard;
  }

  get queuedMs(): number {
    return this.#source.queuedDuration;
  }

  /**
   * Plays samples. Resolves when the queue of `QUEUE_MS` has space again, or `signal` aborts. Waits during an
   * interruption. Throws `media_unavailable` when the track is closed or we are not in the room.
   */
  async write(samples: Int16Array, signal?: AbortSignal): Promise<void> {
    const length = (this.rate * PART_MS) / 1000;
    for (let offset = 0; offset < samples.length; offset += length) {
      await this.#untilConnected(signal);
      if (signal?.aborted) return;
      // A copy, because the SDK ignores where a view of a buffer begins.
      const part = samples.slice(offset, offset + length);
      this.#part = this.#source.captureFrame(new AudioFrame(part, this.rate, 1, part.length));
      await this.#part;
    }
  }

  async untilPlayed(): Promise<void> {
    await Promise.race([this.#source.waitForPlayout(), this.#closing.promise]);
  }

  clear(): void {
    if (!this.#isClosed) this.#source.clearQueue();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.clear();
    this.#isClosed = true;
    this.#closing.resolve();
    // The SDK never answers for a part whose source is closed.
    await this.#part.catch(() => {});
    const { sid } = this.#track;
    try {
      if (sid !== undefined && this.#room.isConnected) {
        await this.#room.localParticipant?.unpublishTrack(sid);
      }
    } finally {
      await this.#track.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #awaitListener(publication: LocalTrackPublication): Promise<void> {
    await publication.waitForSubscription();
    this.#isHeard = true;
  }

  async #untilConnected(signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      const { connectionState: state } = this.#room;
      if (signal?.aborted) return;
      if (this.#isClosed || state === ConnectionState.CONN_DISCONNECTED) {
        throw new AppError(
          'media_unavailable',
          'cannot send sound: the track is closed, or the participant is not in the room',
        );
      }
      if (state === ConnectionState.CONN_CONNECTED) return;
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
