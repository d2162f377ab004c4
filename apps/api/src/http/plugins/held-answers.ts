import type { Socket } from 'node:net';

/** An answer of which the reader has not taken everything yet. */
interface Answer {
  readonly socket: Socket;
  /** Where the bytes stand that are sent next. Answers may share it. */
  memory: ArrayBufferLike | undefined;
}

export interface HeldAnswersOptions {
  readonly maxBytes: number;
  /** Cuts a connection, because all answers together need more than `maxBytes`. */
  readonly cut: (socket: Socket) => void;
}

/**
 * Counts the memory of all answers that readers have not taken yet, and bounds it: many readers, or one that asks for many
 * answers at once, hold a page each. Above `maxBytes` the connection is cut that has not taken anything for the longest time.
 */
export class HeldAnswers {
  readonly #options: HeldAnswersOptions;
  /** The answer that was taken from last is the last one. */
  readonly #answers = new Set<Answer>();
  /** How many answers use each memory. */
  readonly #uses = new Map<ArrayBufferLike, number>();
  #bytes = 0;

  constructor(options: HeldAnswersOptions) {
    this.#options = options;
  }

  /** The memory of all answers that are held, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Yields `parts`, and counts the memory of the part that the reader of `socket` takes. */
  async *hold<Part>(
    socket: Socket,
    parts: AsyncIterable<Part> | Iterable<Part>,
  ): AsyncGenerator<Part> {
    // Of the answers to several requests at once, Node never ends those that are ready after the end of the connection.
    if (socket.destroyed) return;
    const answer: Answer = { socket, memory: undefined };
    this.#answers.add(answer);
    try {
      for await (const part of parts) {
        if (!this.#answers.delete(answer)) return;
        this.#answers.add(answer);
        this.#use(answer, Buffer.isBuffer(part) ? part.buffer : undefined);
        yield part;
      }
    } finally {
      this.#answers.delete(answer);
      this.#use(answer, undefined);
    }
  }

  /** Forgets the answers of a connection that has ended. */
  release(socket: Socket): void {
    const ended = [...this.#answers].filter((answer) => answer.socket === socket);
    for (const answer of ended) {
      this.#answers.delete(answer);
      this.#use(answer, undefined);
    }
  }

  #use(answer: Answer, memory: ArrayBufferLike | undefined): void {
    const former = answer.memory;
    if (former === memory) return;
    answer.memory = memory;
    if (memory) this.#count(memory, 1);
    if (former) this.#count(former, -1);
    for (const { memory: held, socket } of this.#answers) {
      if (this.#bytes <= this.#options.maxBytes) return;
      if (!held) continue;
      this.release(socket);
      this.#options.cut(socket);
    }
  }

  #count(memory: ArrayBufferLike, change: 1 | -1): void {
    const before = this.#uses.get(memory) ?? 0;
    const uses = before + change;
    if (uses === 0) this.#uses.delete(memory);
    else this.#uses.set(memory, uses);
    if (before === 0) this.#bytes += memory.byteLength;
    if (uses === 0) this.#bytes -= memory.byteLength;
  }
}
