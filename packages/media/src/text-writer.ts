import type { TextStreamWriter } from '@livekit/rtc-node';

/** A text that is sent while it comes into being, such as an answer of a language model. */
export class TextWriter implements AsyncDisposable {
  readonly #stream: TextStreamWriter;
  readonly #ended = Promise.withResolvers<void>();
  #isOpen = true;

  constructor(stream: TextStreamWriter) {
    this.#stream = stream;
  }

  /** What receivers know the stream by. */
  get streamId(): string {
    return this.#stream.info.streamId;
  }

  /** Resolves when it has ended, well or not. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Sends some more. Throws when the connection is gone, and then the text has ended. */
  async write(text: string): Promise<void> {
    await this.#stream.write(text);
  }

  /** Says that this was all; receivers take the text as whole. Harmless when called again. */
  async end(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    try {
      await this.#stream.close();
    } finally {
      this.#ended.resolve();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }
}
