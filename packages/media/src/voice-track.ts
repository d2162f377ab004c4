import {
  AudioFrame,
  AudioSource,
  LocalAudioTrack,
  type LocalTrackPublication,
  type Room,
  TrackPublishOptions,
  TrackSource,
} from '@livekit/rtc-node';

/** How much sound waits in the SDK: enough for a busy machine, and little enough to fall silent at once. */
const QUEUE_MS = 200;
const FRAME_MS = 20;

/** Our audio track in a room: what it is given is played in the room at its pace. */
export class VoiceTrack {
  /** Samples a second. */
  readonly rate: number;
  readonly #room: Room;
  readonly #source: AudioSource;
  readonly #sid: string;
  #isHeard = false;

  private constructor(room: Room, source: AudioSource, sid: string) {
    this.#room = room;
    this.#source = source;
    this.#sid = sid;
    this.rate = source.sampleRate;
  }

  /** Publishes a track for sound of `rate` samples a second. */
  static async publish(room: Room, rate: number): Promise<VoiceTrack> {
    const source = new AudioSource(rate, 1, QUEUE_MS);
    const options = new TrackPublishOptions({ source: TrackSource.SOURCE_MICROPHONE });
    const track = LocalAudioTrack.createAudioTrack('voice', source);
    const publication = await room.localParticipant?.publishTrack(track, options);
    if (!publication) throw new Error('the room is not connected');
    const voice = new VoiceTrack(room, source, publication.sid ?? '');
    void voice.#awaitListener(publication);
    return voice;
  }

  /** Whether a participant has subscribed to the track. The SDK does not report the end of a subscription. */
  get isHeard(): boolean {
    return this.#isHeard;
  }

  /** Sound that was written and is not played yet, in milliseconds. */
  get queuedMs(): number {
    return this.#source.queuedDuration;
  }

  /** Plays the samples after those before. Resolves when the queue of `QUEUE_MS` has room again. */
  async write(samples: Int16Array): Promise<void> {
    const length = (this.rate * FRAME_MS) / 1000;
    for (let offset = 0; offset < samples.length; offset += length) {
      // A copy: the SDK ignores where a view of a buffer begins.
      const part = samples.slice(offset, offset + length);
      await this.#source.captureFrame(new AudioFrame(part, this.rate, 1, part.length));
    }
  }

  /** Drops the sound that is not played yet. */
  clear(): void {
    this.#source.clearQueue();
  }

  /** Takes the track out of the room. */
  async close(): Promise<void> {
    try {
      if (this.#room.isConnected) await this.#room.localParticipant?.unpublishTrack(this.#sid);
    } finally {
      await this.#source.close();
    }
  }

  async #awaitListener(publication: LocalTrackPublication): Promise<void> {
    await publication.waitForSubscription();
    this.#isHeard = true;
  }
}
