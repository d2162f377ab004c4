/** What a person says until the agent may answer: speech with short pauses between. */
export class SpokenTurn {
  /** Whether the agent was speaking when the person began. */
  readonly isOverAnswer: boolean;
  readonly #transcribe: (samples: Int16Array) => Promise<string>;
  #untranscribed: Int16Array[] = [];
  readonly #texts: Promise<string>[] = [];
  #speechMs = 0;

  constructor(isOverAnswer: boolean, transcribe: (samples: Int16Array) => Promise<string>) {
    this.isOverAnswer = isOverAnswer;
    this.#transcribe = transcribe;
  }

  /** How long the person spoke, without the pauses, in milliseconds. */
  get speechMs(): number {
    return this.#speechMs;
  }

  /** Adds a piece of the turn with its sound, and how much of that was speech. */
  add(samples: Int16Array, speechMs: number): void {
    this.#speechMs += speechMs;
    this.#untranscribed.push(samples);
  }

  /** Begins to transcribe what was added: pieces while the turn goes on, so that its end is not awaited for all of it. */
  transcribe(): void {
    this.#texts.push(...this.#untranscribed.map(this.#transcribe));
    this.#untranscribed = [];
  }

  /** Returns the words of all that was transcribed. Throws as the transcription does. */
  async words(): Promise<string> {
    const texts = await Promise.all(this.#texts);
    return texts.filter((text) => text !== '').join(' ');
  }
}
