import { availableParallelism } from 'node:os';
import path from 'node:path';
import { AppError } from '@session/kit';
import { Piscina } from 'piscina';
import { NetworkQueue } from './network-queue.ts';

// The specification asks for this number.
const ROUNDS = 12;
const IDLE_MS = 60_000;
/** The priority of the hashing threads: where they want the same core as the thread that answers requests, they wait. */
const NICE = 10;

/** How many turns one network may have that wait for a thread. */
const WAITING_PER_NETWORK = 2;

/** Sign-ups and logins wait apart, so that a flood of sign-ups locks nobody out. */
type HashingQueue = 'logIn' | 'signUp';

const OVERLOADED = {
  logIn: 'Too many users are logging in at the moment: try again in a second.',
  signUp: 'Too many users are signing up at the moment: try again in a second.',
} as const satisfies Record<HashingQueue, string>;

const WAITING_ALREADY = {
  logIn: 'Other logins from your network are still waiting: try again in a second.',
  signUp: 'Other sign-ups from your network are still waiting: try again in a second.',
} as const satisfies Record<HashingQueue, string>;

export interface PasswordHasher {
  /** The number of turns in use: passwords that are being hashed or wait for a thread. */
  readonly length: number;
  /**
   * Returns a turn: the right to hash. Throws `too_many_requests` while two other turns of `network` wait, and `overloaded`
   * when all turns of the queue are in use. Networks are served in rotation. A request takes its turn before any other
   * expensive work. Otherwise, of many requests at once, each would find a turn free and be refused only after that work.
   */
  takeTurn(queue: HashingQueue, network: string): HashingTurn;
}

/** A turn is in use until it is disposed of. */
export interface HashingTurn extends Disposable {
  /** Returns the bcrypt hash of `password`, which has at most 72 bytes. */
  hash(password: string): Promise<string>;
  /** Returns whether `hashed` is the hash of `password`. */
  matches(password: string, hashed: string): Promise<boolean>;
}

/**
 * Returns how many threads hash passwords. One core stays free for all other requests, and for a database on the same machine.
 * The lower priority is not enough: Linux compares priorities only within a session or a container.
 */
export function hashingThreads(cores = availableParallelism()): number {
  return Math.max(1, cores - 1);
}

/**
 * Opens a hasher of passwords. It works in threads, because 12 rounds take a quarter of a second, in which the main thread
 * could answer no request. Threads start at the first use and end after a minute without use. At most `threads` passwords are
 * hashed at the same time, and at most `waiting` wait in each queue. Sign-ups use at most half of the threads, but one: a login
 * waits for one sign-up at most, however many wait.
 */
export function openPasswordHasher(
  threads = hashingThreads(),
  waiting = 16 * threads,
  rounds = ROUNDS,
): PasswordHasher & AsyncDisposable {
  const pool = new Piscina({
    // In development the source, whose types Node strips; otherwise the built file.
    filename: new URL(`bcrypt-worker${path.extname(import.meta.url)}`, import.meta.url).href,
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: IDLE_MS,
    niceIncrement: NICE,
  });
  const queues = {
    logIn: new TurnQueue('logIn', threads, threads + waiting),
    signUp: new TurnQueue('signUp', Math.max(1, Math.floor(threads / 2)), threads + waiting),
  };
  return {
    get length() {
      return queues.logIn.length + queues.signUp.length;
    },
    takeTurn: (queue, network) => {
      const turn = queues[queue].take(network);
      const run = (name: string, task: object) =>
        turn.run(async (): Promise<unknown> => await pool.run(task, { name }));
      return {
        hash: async (password) => String(await run('hash', { password, rounds })),
        matches: async (password, hashed) => (await run('compare', { password, hashed })) === true,
        [Symbol.dispose]: () => turn[Symbol.dispose](),
      };
    },
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}

/** The turns of one queue, each of which runs one task. */
class TurnQueue {
  readonly #name: HashingQueue;
  readonly #tasks: NetworkQueue;
  readonly #maxTurns: number;
  /** How many turns of each network have not begun to hash. */
  readonly #waiting = new Map<string, number>();
  length = 0;

  constructor(name: HashingQueue, threads: number, maxTurns: number) {
    this.#name = name;
    this.#tasks = new NetworkQueue(threads);
    this.#maxTurns = maxTurns;
  }

  take(network: string) {
    if ((this.#waiting.get(network) ?? 0) >= WAITING_PER_NETWORK) {
      const detail = WAITING_ALREADY[this.#name];
      throw new AppError('too_many_requests', `a network waits already: ${this.#name}`, { detail });
    }
    if (this.length >= this.#maxTurns) {
      const detail = OVERLOADED[this.#name];
      throw new AppError('overloaded', `${this.length} passwords: ${this.#name}`, { detail });
    }
    this.length += 1;
    this.#count(network, 1);
    let isWaiting = true;
    const stopWaiting = () => {
      if (isWaiting) this.#count(network, -1);
      isWaiting = false;
    };
    return {
      run: async <T>(task: () => Promise<T>) =>
        await this.#tasks.run(network, async () => {
          stopWaiting();
          return await task();
        }),
      [Symbol.dispose]: () => {
        stopWaiting();
        this.length -= 1;
      },
    };
  }

  #count(network: string, change: number): void {
    const count = (this.#waiting.get(network) ?? 0) + change;
    if (count === 0) this.#waiting.delete(network);
    else this.#waiting.set(network, count);
  }
}
