import { withDeadline } from '@session/kit';
import { ReadsInTurn } from '../messages/reads-in-turn.ts';

/** `leftMs`: how long a caller still waits for the result. */
type Read<Result> = (owner: string, leftMs: () => number) => Promise<Result>;

const TURNS_PER_OWNER = 1;

/** Reads in turn. All requests of one owner ask for the same, and share one read. */
export class SharedReads<Result> {
  readonly #read: Read<Result>;
  readonly #limitMs: number;
  readonly #turns: ReadsInTurn;
  readonly #shared = new Map<string, Promise<Result>>();

  constructor(read: Read<Result>, limitMs: number, atOnce: number) {
    this.#read = read;
    this.#limitMs = limitMs;
    this.#turns = new ReadsInTurn(limitMs, atOnce, TURNS_PER_OWNER);
  }

  /**
   * Returns the result of the owner's shared read. Throws `unavailable` after the limit. A read keeps its turn until it
   * ends, even if nobody waits any more, so it must end when `leftMs` reaches 0.
   */
  async run(owner: string): Promise<Result> {
    const shared = this.#shared.get(owner) ?? this.#start(owner);
    this.#shared.set(owner, shared);
    return await shared;
  }

  async #start(owner: string): Promise<Result> {
    const until = performance.now() + this.#limitMs;
    const leftMs = () => until - performance.now();
    try {
      const turn = this.#turns.run(owner, () => this.#read(owner, leftMs), {
        waitMs: this.#limitMs,
      });
      return await withDeadline(turn, this.#limitMs);
    } finally {
      this.#shared.delete(owner);
    }
  }
}
