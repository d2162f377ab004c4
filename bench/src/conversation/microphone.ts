import {
  AudioFrame,
  AudioSource,
  LocalAudioTrack,
  type Room,
  TrackPublishOptions,
  TrackSource,
} from '@livekit/rtc-node';

const MICROPHONE_RATE = 24_000;
const FRAME = MICROPHONE_RATE / 50;
const QUEUE_MS = 100;

/** A microphone that is always on: it sends silence while the person says nothing, as browsers do. */
export class Microphone implements AsyncDisposable {
  readonly #source = new AudioSource(MICROPHONE_RATE, 1, QUEUE_MS);
  #sound = new Int16Array();
  #spoken = Promise.withResolvers<number>();
  #isOff = false;
  #pumping: Promise<void> = Promise.resolve();

  static async publish(room: Room): Promise<Microphone> {
    const microphone = new Microphone();
    const track = LocalAudioTrack.createAudioTrack('microphone', microphone.#source);
    const options = new TrackPublishOptions({ source: TrackSource.SOURCE_MICROPHONE });
    await room.localParticipant?.publishTrack(track, options);
    microphone.#pumping = microphone.#pump();
    return microphone;
  }

  /** Plays the sound in real time. Returns the time at which its last sample leaves, by `performance.now()`. */
  async speak(sound: Int16Array<ArrayBuffer>): Promise<number> {
    this.#spoken = Promise.withResolvers();
    this.#sound = sound;
    return await this.#spoken.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOff = true;
    await this.#pumping;
    await this.#source.close();
  }

  async #pump(): Promise<void> {
    while (!this.#isOff) {
      const isEnd = this.#sound.length > 0 && this.#sound.length <= FRAME;
      // Its own buffer: the SDK ignores where a view begins.
      const samples = new Int16Array(FRAME);
      samples.set(this.#sound.subarray(0, FRAME));
      this.#sound = this.#sound.slice(FRAME);
      await this.#source.captureFrame(new AudioFrame(samples, MICROPHONE_RATE, 1, FRAME));
      if (isEnd) this.#spoken.resolve(performance.now() + this.#source.queuedDuration);
    }
  }
}
