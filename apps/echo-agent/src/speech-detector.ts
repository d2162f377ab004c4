const SILENCE_DB = -70;
/** Speech begins at a level this far above the background, and above `BEGIN_DB`, which is relative to full scale. */
const BEGIN_ABOVE_DB = 10;
const BEGIN_DB = -45;
const GO_ON_ABOVE_DB = 6;
const GO_ON_DB = -50;
/** The quietest frame within this time is the background, because speech contains pauses and a hum does not. */
const BACKGROUND_MS = 5000;
const PARTS = 10;

/** Separates speech from background by energy. A sound of constant level becomes background after `BACKGROUND_MS`. */
export class SpeechDetector {
  readonly #framesInPart: number;
  readonly #quietest: number[] = Array.from({ length: PARTS }, () => SILENCE_DB);
  #framesOfNewest = 0;
  #isSpeech = false;

  constructor(frameMs: number) {
    this.#framesInPart = BACKGROUND_MS / PARTS / frameMs;
  }

  isSpeech(levelDb: number): boolean {
    this.#learn(Math.max(levelDb, SILENCE_DB));
    this.#isSpeech = this.#isSpeech
      ? levelDb > Math.max(GO_ON_DB, this.#background + GO_ON_ABOVE_DB)
      : levelDb > Math.max(BEGIN_DB, this.#background + BEGIN_ABOVE_DB);
    return this.#isSpeech;
  }

  standsOut(levelDb: number): boolean {
    return levelDb > this.#background + GO_ON_ABOVE_DB;
  }

  get #background(): number {
    return Math.min(...this.#quietest);
  }

  #learn(levelDb: number): void {
    if (this.#framesOfNewest === this.#framesInPart) {
      this.#quietest.shift();
      this.#quietest.push(levelDb);
      this.#framesOfNewest = 0;
    }
    this.#framesOfNewest += 1;
    const newest = this.#quietest.length - 1;
    this.#quietest[newest] = Math.min(this.#quietest[newest] ?? levelDb, levelDb);
  }
}

export function levelOf(frame: Int16Array): number {
  let energy = 0;
  for (const sample of frame) energy += sample * sample;
  const level = Math.sqrt(energy / Math.max(1, frame.length)) / 32_768;
  return level === 0 ? Number.NEGATIVE_INFINITY : 20 * Math.log10(level);
}
