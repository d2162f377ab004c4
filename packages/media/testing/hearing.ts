import { AudioStream, type Track } from '@livekit/rtc-node';

const RATE = 16_000;
const FRAME_MS = 20;
/** The root mean square above which a frame counts as sound. Tones of the tests have 7,000, Opus' comfort noise under 50. */
const LOUD = 300;
/** Frames of silence inside a sound that do not end it, as between syllables. */
const PAUSE_FRAMES = 10;
/** Frames that a tone must last to be told from a sound's edges. */
const TONE_FRAMES = 5;
const TONE_STEP_HZ = 20;
const TONE_MAX_HZ = 2000;

interface Frame {
  readonly at: number;
  readonly samples: Int16Array;
  readonly isLoud: boolean;
  readonly tone: number | undefined;
}

/** A sound without longer pauses, as a listener received it. */
export interface HeardSound {
  readonly startedAt: number;
  readonly endedAt: number;
  /** The frequencies of its tones, in order, to 20 Hz. A sound without tones has none, or some by chance. */
  readonly tones: readonly number[];
}

/** What a listener receives of one audio track. It keeps all samples, 2 MB a minute. */
export class Hearing implements AsyncDisposable {
  readonly #frames: Frame[] = [];
  readonly #reader: ReadableStreamDefaultReader<{ readonly data: Int16Array }>;
  readonly #reading: Promise<void>;

  constructor(track: Track) {
    this.#reader = new AudioStream(track, {
      sampleRate: RATE,
      numChannels: 1,
      frameSizeMs: FRAME_MS,
    }).getReader();
    this.#reading = this.#read();
  }

  /**
   * All sounds so far. The silence between two sounds lasts 200 ms or more, counted in frames, because a busy process reads
   * frames late and many at once. The SDK delivers frames of silence too.
   */
  get sounds(): HeardSound[] {
    const sounds: Frame[][] = [];
    let quiet = PAUSE_FRAMES;
    for (const frame of this.#frames) {
      const isNew = frame.isLoud && quiet >= PAUSE_FRAMES;
      quiet = frame.isLoud ? 0 : quiet + 1;
      if (isNew) sounds.push([frame]);
      else if (quiet < PAUSE_FRAMES) sounds.at(-1)?.push(frame);
    }
    return sounds.map((frames) => ({
      startedAt: frames[0]?.at ?? 0,
      endedAt: frames.findLast(({ isLoud }) => isLoud)?.at ?? 0,
      tones: tonesIn(frames),
    }));
  }

  /** The frequencies of all tones so far, in order. Equal ones in a row count once, because a busy machine interrupts tones. */
  get tones(): number[] {
    const tones = this.sounds.flatMap((sound) => sound.tones);
    return tones.filter((frequency, index) => frequency !== tones[index - 1]);
  }

  /** Whether the last 300 ms were silent, or nothing came at all. */
  get isSilent(): boolean {
    return this.#frames.slice(-300 / FRAME_MS).every(({ isLoud }) => !isLoud);
  }

  get loudMs(): number {
    return this.#frames.filter(({ isLoud }) => isLoud).length * FRAME_MS;
  }

  get samples(): Int16Array<ArrayBuffer> {
    return Int16Array.from(this.#frames.flatMap(({ samples }) => [...samples]));
  }

  async close(): Promise<void> {
    await this.#reader.cancel();
    await this.#reading;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #read(): Promise<void> {
    for (;;) {
      const { done, value } = await this.#reader.read();
      if (done) return;
      const samples = value.data.slice();
      const isLoud = Math.sqrt(sumOfSquares(samples) / samples.length) > LOUD;
      // Computed once, because tests read all tones again and again, and computing delays what they hear.
      const tone = isLoud ? toneIn(samples) : undefined;
      this.#frames.push({ at: performance.now(), samples, isLoud, tone });
    }
  }
}

/**
 * Returns the frequencies that last for `TONE_FRAMES` frames or more, one after another. A tone that a busy machine interrupts
 * counts once.
 */
function tonesIn(frames: readonly Frame[]): number[] {
  const tones: number[] = [];
  let [last, count] = [0, 0];
  for (const { tone: frequency } of frames) {
    const goesOn = frequency !== undefined && Math.abs(frequency - last) <= TONE_STEP_HZ;
    count = goesOn ? count + 1 : 1;
    last = frequency ?? 0;
    if (frequency !== undefined && count === TONE_FRAMES && tones.at(-1) !== frequency) {
      tones.push(frequency);
    }
  }
  return tones;
}

/** Returns the frequency with the most energy, to `TONE_STEP_HZ`; undefined if other frequencies have more together. */
function toneIn(samples: Int16Array): number | undefined {
  let [strongest, most] = [0, 0];
  for (let frequency = 100; frequency <= TONE_MAX_HZ; frequency += TONE_STEP_HZ) {
    const energy = energyAt(samples, frequency);
    if (energy > most) [strongest, most] = [frequency, energy];
  }
  const ofPureTone = (sumOfSquares(samples) * samples.length) / 2;
  return most > 0.7 * ofPureTone ? strongest : undefined;
}

/** Returns the energy of one frequency (Goertzel's algorithm). */
function energyAt(samples: Int16Array, frequency: number): number {
  const coefficient = 2 * Math.cos((2 * Math.PI * frequency) / RATE);
  let [last, beforeLast] = [0, 0];
  for (const sample of samples) {
    [last, beforeLast] = [sample + coefficient * last - beforeLast, last];
  }
  return last * last + beforeLast * beforeLast - coefficient * last * beforeLast;
}

function sumOfSquares(samples: Int16Array): number {
  return samples.reduce((sum, sample) => sum + sample * sample, 0);
}
