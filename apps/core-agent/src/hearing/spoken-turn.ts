export class SpokenTurn {
  readonly isOverAnswer: boolean;
  readonly #transcribe: (samples: Int16Array) => Promise<string>;
  #untranscribed: Int16Array[] = [];
  readonly #texts: Promise<string>[] = [];
  #speechMs = 0;

  constructor(isOverAnswer: boolean, transcribe: (samples: Int16Array) => Promise<string>) {
    this.isOverAnswer = isOverAnswer;
    this.#transcribe = transcribe;
  }

  get speechMs(): number {
    return this.#speechMs;
  }

  add(samples: Int16Array, speechMs: number): void {
    this.#speechMs += speechMs;
    this.#untranscribed.push(samples);
  }

  /** Transcribes pieces while the turn continues, so that its end need not wait for all of them. */
  transcribe(): void {
    this.#texts.push(...this.#untranscribed.map(this.#transcribe));
    this.#untranscribed = [];
  }

  async words(): Promise<string> {
    const texts = await Promise.all(this.#texts);
    return texts.filter((text) => text !== '').join(' ');
  }
}
