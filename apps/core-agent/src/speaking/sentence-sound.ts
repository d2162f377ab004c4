import { SampleBuffer } from '../sample-buffer.ts';

export class SoundFailure extends Error {
  override readonly name = 'SoundFailure';
}

/** The sound of a sentence, collected as it arrives, because sentences are requested before they are played. */
export class SentenceSound {
  readonly #samples = new SampleBuffer();
  #hasEnded = false;
  #failure: SoundFailure | undefined;
  #grown = Promise.withResolvers<void>();

  constructor(source: AsyncIterable<Int16Array>) {
    void this.#readAll(source);
  }

  /** Returns up to `length` samples after `offset`: fewer at the end, undefined beyond it. Throws a SoundFailure. */
  async read(offset: number, length: number): Promise<Int16Array<ArrayBuffer> | undefined> {
    while (!this.#hasEnded && this.#samples.length < offset + length) await this.#grown.promise;
    const samples = this.#samples.slice(offset, offset + length);
    if (samples.length > 0) return samples;
    if (this.#failure) throw this.#failure;
    return undefined;
  }

  async #readAll(source: AsyncIterable<Int16Array>): Promise<void> {
    try {
      for await (const samples of source) {
        this.#samples.push(samples);
        this.#wake();
      }
    } catch (error) {
      this.#failure = new SoundFailure('could not synthesize the sentence', { cause: error });
    }
    this.#hasEnded = true;
    this.#wake();
  }

  #wake(): void {
    this.#grown.resolve();
    this.#grown = Promise.withResolvers();
  }
}
