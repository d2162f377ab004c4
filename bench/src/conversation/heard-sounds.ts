import { AudioStream, type RemoteTrack } from '@livekit/rtc-node';

const RATE = 16_000;
const FRAME_MS = 20;
/** The root mean square above which a frame counts as sound; comfort noise has less than 50. */
const LOUD = 300;
const PAUSE_FRAMES = 25;

/** When sounds of a track began to arrive. Times are those of `performance.now()`. */
export class HeardSounds {
  readonly #starts: number[] = [];
  readonly #reader: ReadableStreamDefaultReader<AudioFrameData>;
  #quietFrames = PAUSE_FRAMES;

  constructor(track: RemoteTrack) {
    const options = { sampleRate: RATE, numChannels: 1, frameSizeMs: FRAME_MS };
    this.#reader = new AudioStream(track, options).getReader();
    this.#read().catch(() => {});
  }

  get isSilent(): boolean {
    return this.#quietFrames >= PAUSE_FRAMES;
  }

  firstAfter(since: number): number | undefined {
    return this.#starts.find((start) => start > since);
  }

  /** Ignores the error of a stream whose track has ended: that stream is closed already. */
  close(): void {
    this.#reader.cancel().catch(() => {});
  }

  async #read(): Promise<void> {
    for (;;) {
      const { done, value } = await this.#reader.read();
      if (done) return;
      const sum = value.data.reduce((total, sample) => total + sample * sample, 0);
      const isLoud = Math.sqrt(sum / value.data.length) > LOUD;
      if (isLoud && this.isSilent) this.#starts.push(performance.now());
      this.#quietFrames = isLoud ? 0 : this.#quietFrames + 1;
    }
  }
}

interface AudioFrameData {
  readonly data: Int16Array;
}
