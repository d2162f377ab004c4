import { AppError, RotatingQueue } from '@session/kit';

interface Turns {
  readonly atOnce: number;
  readonly perOwner?: number;
}

/** Creations of one account wait for each other, and agent starts for the lock of their session. */
export const TURNS_BY_ACCOUNT: Turns = { atOnce: 3 };

/**
 * Requests for one session wait for its lock: one request has it, and the next already waits in the database. With three
 * creations and one replay, at most nine of a pool's ten connections wait for locks.
 */
export const TURNS_BY_SESSION: Turns = { atOnce: 5, perOwner: 2 };

/** Imports and changes have turns of their account too. Texts always have turns to themselves. */
export const TURNS_BY_MEMBER: Turns = { atOnce: 3, perOwner: 2 };

/** Replays wait for locks of their webhook and project. One at a time, because a pool has ten connections. */
export const TURNS_BY_WEBHOOK: Turns = { atOnce: 1 };

/** Runs `work` in a turn of `owner`. The parts of an owner take turns. `askedAt` is since when `work` waits, by `performance.now()`. */
type InTurn = <Result>(
  owner: string,
  work: () => Promise<Result>,
  part?: string,
  askedAt?: number,
) => Promise<Result>;

/**
 * Returns turns for work that waits for locks, which would otherwise occupy every connection. Work without a turn after
 * `waitMs` is not done, and throws `unavailable`.
 */
export function openTurns({ atOnce, perOwner }: Turns, waitMs: number): InTurn {
  const queue = new RotatingQueue(atOnce, perOwner);
  return async (owner, work, part, askedAt = performance.now()) => {
    const run = async () => {
      if (performance.now() - askedAt > waitMs)
        throw new AppError('unavailable', 'no turn came in time');
      return await work();
    };
    return await queue.run(owner, run, part);
  };
}
