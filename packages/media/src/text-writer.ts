import type { TextStreamWriter } from '@livekit/rtc-node';
import { mediaError } from './media-error.ts';

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

  /** Sends some more. Throws `media_unavailable` when the connection is gone; the text has ended then. */
  async write(text: string): Promise<void> {
    await this.#attempt('go on with', () => this.#stream.write(text));
  }

  /** Says that this was all: receivers take the text as whole. Throws as `write` does; harmless when it has ended. */
  async end(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#attempt('end', () => this.#stream.close());
    this.#ended.resolve();
  }

  async #attempt(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#isOpen = false;
      this.#ended.resolve();
      throw mediaError(`cannot ${what} a text`, error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }
}
