import { inTime } from '@session/db';
import { RotatingQueue } from '../../http/rotating-queue.ts';

/** Half of the connections to the database: the other half is for requests that do not wait for messages. */
const READS_AT_ONCE = 5;

/** The reads of clients that follow sessions: five at once, taking turns by owner. */
export class ReadsInTurn {
  readonly #limitMs: number;
  readonly #turns = new RotatingQueue(READS_AT_ONCE);

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /**
   * Returns what `read` returns; throws `unavailable` after the limit. The turn lasts until `read` has ended, and PostgreSQL
   * alone limits its statements: a read that nobody waits for any more still occupies its connection.
   */
  async run<Result>(owner: string, read: () => Promise<Result>): Promise<Result> {
    const answer = Promise.withResolvers<Result>();
    const turn = this.#turns.run(owner, async () => {
      const reading = read();
      answer.resolve(inTime(reading, this.#limitMs));
      await reading;
    });
    turn.catch(answer.reject);
    return await answer.promise;
  }
}
