import type { Socket } from 'node:net';

interface Answer {
  readonly socket: Socket;
  /** The memory of the bytes that are sent next, which answers may share. */
  memory: ArrayBufferLike | undefined;
}

/**
 * Bounds the memory of answers that readers have not taken. Above `maxBytes`, cuts connections, beginning with the one
 * that has taken nothing for the longest time.
 */
export class HeldAnswers {
  readonly #maxBytes: number;
  readonly #cut: (socket: Socket) => void;
  /** Sorted by when their readers last took a part; the newest is the last. */
  readonly #answers = new Set<Answer>();
  readonly #uses = new Map<ArrayBufferLike, number>();
  #bytes = 0;

  constructor(maxBytes: number, cut: (socket: Socket) => void) {
    this.#maxBytes = maxBytes;
    this.#cut = cut;
  }

  get bytes(): number {
    return this.#bytes;
  }

  async *hold<Part>(
    socket: Socket,
    parts: AsyncIterable<Part> | Iterable<Part>,
  ): AsyncGenerator<Part> {
    // Node never ends pipelined answers that are ready only after the end of the connection.
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
      if (this.#bytes <= this.#maxBytes) return;
      if (!held) continue;
      this.release(socket);
      this.#cut(socket);
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
