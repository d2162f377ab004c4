import { availableParallelism } from 'node:os';
import path from 'node:path';
import { AppError } from '@session/kit';
import { Piscina } from 'piscina';

// The specification's.
const ROUNDS = 12;
const IDLE_MS = 60_000;
/** Hashing has time: whoever waits for another answer, here or from the database beside us, comes first. */
const NICE = 10;

export interface PasswordHasher {
  /** How many passwords are being hashed, or wait for that. */
  readonly length: number;
  /** Throws `overloaded` when too many wait: asked before anything else that a login costs. */
  expectRoom(): void;
  /** Gives the bcrypt hash of `password`, of at most 72 bytes; throws `overloaded` when too many wait. */
  hash(password: string): Promise<string>;
  /** Whether `password` is the one that was `hashed`; throws `overloaded` when too many wait. */
  matches(password: string, hashed: string): Promise<boolean>;
}

/**
 * Gives what hashes passwords, in worker threads that come at the first use and go after a minute without: 12 rounds take
 * a quarter of a second, in which the main thread would answer nobody. At most `threads` work and `waiting` wait.
 */
export function openPasswordHasher(
  threads = availableParallelism(),
  waiting = 16 * threads,
): PasswordHasher & AsyncDisposable {
  const pool = new Piscina({
    // The source in development, where Node itself strips the types; else what was built.
    filename: new URL(`bcrypt-worker${path.extname(import.meta.url)}`, import.meta.url).href,
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: IDLE_MS,
    niceIncrement: NICE,
  });
  let running = 0;
  const expectRoom = () => {
    if (running < threads + waiting) return;
    const detail = 'Too many log in at the moment: try again in a second.';
    throw new AppError('overloaded', `${running} passwords to hash`, { detail });
  };
  const run = async (name: string, task: object): Promise<unknown> => {
    expectRoom();
    running += 1;
    try {
      return await pool.run(task, { name });
    } finally {
      running -= 1;
    }
  };
  return {
    get length() {
      return running;
    },
    expectRoom,
    hash: async (password) => String(await run('hash', { password, rounds: ROUNDS })),
    matches: async (password, hashed) => (await run('compare', { password, hashed })) === true,
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}
