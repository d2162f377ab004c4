import { availableParallelism } from 'node:os';
import path from 'node:path';
import { AppError } from '@session/kit';
import { Piscina } from 'piscina';

// The specification's.
const ROUNDS = 12;
const IDLE_MS = 60_000;
/** Hashing has time: the thread that answers comes first where both want the same core. */
const NICE = 10;

export interface PasswordHasher {
  /** How many turns are taken. */
  readonly length: number;
  /**
   * Gives the right to hash; throws `overloaded` when as many have it as may work and wait. Taken before anything else that
   * a login costs: else all that come at once would find room, and be refused only after that work.
   */
  takeTurn(): HashingTurn;
}

/** Lasts until it is disposed of. */
export interface HashingTurn extends Disposable {
  /** Gives the bcrypt hash of `password`, of at most 72 bytes. */
  hash(password: string): Promise<string>;
  /** Whether `password` is the one that was `hashed`. */
  matches(password: string, hashed: string): Promise<boolean>;
}

/**
 * How many threads hash: a core is left to those who want anything else, and to the database if it is beside us. Being nice
 * is not enough: Linux weighs it only among the threads of a session or of a container.
 */
export function hashingThreads(cores = availableParallelism()): number {
  return Math.max(1, cores - 1);
}

/**
 * Gives what hashes passwords, in worker threads that come at the first use and go after a minute without: 12 rounds take
 * a quarter of a second, in which the main thread would answer nobody. At most `threads` work and `waiting` wait.
 */
export function openPasswordHasher(
  threads = hashingThreads(),
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
  let taken = 0;
  return {
    get length() {
      return taken;
    },
    takeTurn: () => {
      if (taken >= threads + waiting) {
        const detail = 'Too many log in at the moment: try again in a second.';
        throw new AppError('overloaded', `${taken} passwords to hash`, { detail });
      }
      taken += 1;
      return {
        hash: async (password) =>
          String(await pool.run({ password, rounds: ROUNDS }, { name: 'hash' })),
        matches: async (password, hashed) =>
          (await pool.run({ password, hashed }, { name: 'compare' })) === true,
        [Symbol.dispose]: () => {
          taken -= 1;
        },
      };
    },
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}
