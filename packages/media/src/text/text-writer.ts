import type { TextStreamWriter } from '@livekit/rtc-node';
import { mediaError } from '../media-error.ts';
import type { MarkedEnd } from './text-trailer.ts';

/** A text stream that is sent in parts while the text is still being made, such as the answer of a language model. */
export class TextWriter implements AsyncDisposable {
  readonly #stream: TextStreamWriter;
  readonly #endMarked: MarkedEnd;
  readonly #ended = Promise.withResolvers<void>();
  #isOpen = true;

  constructor({ stream, endMarked }: { stream: TextStreamWriter; endMarked: MarkedEnd }) {
    this.#stream = stream;
    this.#endMarked = endMarked;
  }

  /** The id under which receivers know the stream. */
  get streamId(): string {
    return this.#stream.info.streamId;
  }

  /** Resolves when the stream has ended, whether it is complete or not. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Sends the next part. Throws `media_unavailable` if the connection is gone; the stream has then ended. */
  async write(text: string): Promise<void> {
    await this.#attempt('continue', () => this.#stream.write(text));
  }

  /**
   * Ends the stream, so that receivers take the text as complete. `attributes` join those that the stream began with:
   * receivers learn of them at the end. Throws as `write` does. Does nothing if the stream has ended.
   */
  async end(attributes?: Readonly<Record<string, string>>): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#attempt('end', () => {
      return attributes ? this.#endMarked(attributes) : this.#stream.close();
    });
    this.#ended.resolve();
  }

  async #attempt(action: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#isOpen = false;
      this.#ended.resolve();
      throw mediaError(`cannot ${action} a text`, error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }
}
