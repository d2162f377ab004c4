import { AppError, RotatingQueue } from '@session/kit';

interface Turns {
  readonly atOnce: number;
  readonly perOwner?: number;
}

/**
 * Creations of one account wait for each other in the database. Starts of agents wait for the lock of their session, and
 * changes of a project for the lock of the project.
 */
export const TURNS_BY_ACCOUNT: Turns = { atOnce: 3 };

/**
 * Changes of projects also take one of these turns of the account. They use at most two of the account turns, so that
 * one is left for creations.
 */
export const TURNS_OF_PROJECT_CHANGES: Turns = { atOnce: 2, perOwner: 1 };

/**
 * Requests for one session wait for its lock: one request has it, and the next already waits in the database. With
 * three account turns and one replay, at most nine of a pool's ten connections wait for these locks. Changes and
 * deletions of accounts, and sign-outs, take no turn and are not counted.
 */
export const TURNS_BY_SESSION: Turns = { atOnce: 5, perOwner: 2 };

/**
 * Changes of a session and imports also take a turn of their actor. They use at most three of the session turns, so
 * that two are left for texts.
 */
export const TURNS_BY_MEMBER: Turns = { atOnce: 3, perOwner: 2 };

/** A replay waits for the former replay of its webhook. */
export const TURNS_BY_WEBHOOK: Turns = { atOnce: Infinity, perOwner: 1 };

/**
 * The steps of all replays wait for locks of webhooks and projects. One step at a time, because a pool has ten connections.
 * Between the steps of a replay, which may be a thousand, those of other replays run.
 */
export const TURNS_OF_REPLAYS: Turns = { atOnce: 1 };

/** Runs `work` in a turn of `owner` that comes before `until`, by `performance.now()`. The parts of an owner take turns. */
type InTurn = <Result>(
  owner: string,
  work: () => Promise<Result>,
  part?: string,
  until?: number,
) => Promise<Result>;

/**
 * Returns a function that does work in turns. Without turns, work that waits for locks would occupy every connection. The
 * function throws `unavailable`, without doing the work, if its turn does not come in time: by default within `waitMs`.
 */
export function openTurns({ atOnce, perOwner }: Turns, waitMs: number): InTurn {
  const queue = new RotatingQueue(atOnce, perOwner);
  return async (owner, work, part, until = performance.now() + waitMs) => {
    const run = async () => {
      if (performance.now() > until) throw new AppError('unavailable', 'no turn came in time');
      return await work();
    };
    return await queue.run(owner, run, part);
  };
}
