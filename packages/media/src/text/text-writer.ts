import type { TextStreamWriter } from '@livekit/rtc-node';
import { mediaError } from '../media-error.ts';
import type { NumberedMessage } from './sent-messages.ts';
import type { MarkedEnd } from './text-trailer.ts';

interface OpenedText {
  readonly stream: TextStreamWriter;
  readonly endMarked: MarkedEnd;
  readonly numbered?: NumberedMessage | undefined;
}

export class TextWriter implements AsyncDisposable {
  readonly #stream: TextStreamWriter;
  readonly #endMarked: MarkedEnd;
  readonly #numbered: NumberedMessage | undefined;
  readonly #ended = Promise.withResolvers<void>();
  #isOpen = true;

  constructor({ stream, endMarked, numbered }: OpenedText) {
    this.#numbered = numbered;
    this.#stream = stream;
    this.#endMarked = endMarked;
  }

  get streamId(): string {
    return this.#stream.info.streamId;
  }

  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  async write(text: string): Promise<void> {
    this.#numbered?.write(text);
    await this.#attempt('continue', () => this.#stream.write(text));
  }

  async end(attributes?: Readonly<Record<string, string>>): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#numbered?.end(attributes);
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
      this.#numbered?.breakOff();
      this.#ended.resolve();
      throw mediaError(`cannot ${action} a text`, error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }
}
