import { AppError, RotatingQueue } from '@session/kit';

interface Turns {
  readonly atOnce: number;
  readonly perOwner?: number;
}

/** Creations of one account wait for each other. A pool has ten connections. */
export const TURNS_BY_ACCOUNT: Turns = { atOnce: 4 };

/** Requests for one session wait for its lock: while one has it, the next already waits in the database. */
export const TURNS_BY_SESSION: Turns = { atOnce: 8, perOwner: 2 };

/** Replays of one webhook wait for each other, and those of different webhooks do not. */
export const TURNS_BY_WEBHOOK: Turns = { atOnce: Infinity, perOwner: 1 };

/** Runs `work` in a turn of `owner`, whose parts take turns. */
type InTurn = <Result>(
  owner: string,
  work: () => Promise<Result>,
  part?: string,
) => Promise<Result>;

/**
 * Returns turns for work that waits for locks, which would otherwise occupy every connection. Work without a turn after
 * `waitMs` is not done, and throws `unavailable`.
 */
export function openTurns({ atOnce, perOwner }: Turns, waitMs: number): InTurn {
  const queue = new RotatingQueue(atOnce, perOwner);
  return async (owner, work, part) => {
    const askedAt = performance.now();
    const run = async () => {
      if (performance.now() - askedAt > waitMs)
        throw new AppError('unavailable', 'no turn came in time');
      return await work();
    };
    return await queue.run(owner, run, part);
  };
}
