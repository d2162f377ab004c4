import { inTime } from '@session/db';
import { AppError, RotatingQueue } from '@session/kit';

interface Patience {
  readonly waitMs?: number;
  readonly signal?: AbortSignal | undefined;
}

export class ReadsInTurn {
  readonly #limitMs: number;
  readonly #turns: RotatingQueue;

  constructor(limitMs: number, atOnce: number, perOwner = atOnce) {
    this.#limitMs = limitMs;
    this.#turns = new RotatingQueue(atOnce, perOwner);
  }

  /**
   * Returns what `read` returns. Throws `unavailable` when `read` takes longer than the limit, or when the turn comes after
   * `waitMs` or after `signal` has aborted. The turn lasts until `read` has ended, and only PostgreSQL limits the
   * statements of `read`, because an abandoned read still occupies its connection.
   */
  async run<Result>(
    owner: string,
    read: () => Promise<Result>,
    { waitMs = Infinity, signal }: Patience = {},
  ): Promise<Result> {
    const until = performance.now() + waitMs;
    const answer = Promise.withResolvers<Result>();
    const turn = this.#turns.run(owner, async () => {
      if (signal?.aborted || performance.now() > until) {
        throw new AppError('unavailable', 'the turn of a read came too late');
      }
      const reading = read();
      answer.resolve(inTime(reading, this.#limitMs));
      await reading;
    });
    turn.catch(answer.reject);
    return await answer.promise;
  }
}
