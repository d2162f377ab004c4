import { availableParallelism } from 'node:os';
import path from 'node:path';
import { AppError, RotatingQueue } from '@session/kit';
import { Piscina } from 'piscina';
import { networkOf, siteOf } from '../../http/plugins/rate-limit.ts';
import { BCRYPT_ROUNDS } from './auth-schema.ts';

const IDLE_MS = 60_000;
/**
 * The priority of the hashing threads. They must give way to the thread that answers requests on the same core, but
 * must not starve while other programs occupy the machine: with 10, a flood of logins took 2.6 times as long on such a
 * machine.
 */
const NICE = 5;

const WAITING_PER_NETWORK = 2;
const WAITING_PER_SITE = 4;

/** Separate queues, so that a flood of one kind does not block the others. */
type HashingQueue = 'logIn' | 'knownLogIn' | 'signUp';

const OVERLOADED = {
  logIn:
    'Too many users are logging in at the moment: try again in a second, or log in from a network that you have used before.',
  knownLogIn: 'Too many users are logging in at the moment: try again in a second.',
  signUp: 'Too many users are signing up at the moment: try again in a second.',
} as const satisfies Record<HashingQueue, string>;

const LOGINS_WAIT = 'Other logins from your network are still waiting: try again in a second.';
const WAITING_ALREADY = {
  logIn: LOGINS_WAIT,
  knownLogIn: LOGINS_WAIT,
  signUp: 'Other sign-ups from your network are still waiting: try again in a second.',
} as const satisfies Record<HashingQueue, string>;

export interface PasswordHasher {
  readonly length: number;
  /**
   * Returns a turn to hash. Throws `too_many_requests` while two turns of the network of `ip` are waiting, or four of
   * its site, and `overloaded` when the queue is full. Sites take turns.
   */
  takeTurn(queue: HashingQueue, ip: string): HashingTurn;
}

export interface HashingTurn extends Disposable {
  hash(password: string): Promise<string>;
  matches(password: string, hashed: string): Promise<boolean>;
}

/**
 * Returns how many threads hash passwords: one fewer than there are cores, but at least one. Their low priority does not
 * protect programs of other sessions and containers, because Linux compares priorities only within one.
 */
export function hashingThreads(cores = availableParallelism()): number {
  return Math.max(1, cores - 1);
}

/**
 * Returns a hasher that works in threads, because 12 rounds take a quarter of a second. Threads end after a minute
 * without use. At most `threads` passwords are hashed at once. Each queue has at most `threads` and `waiting` turns
 * together. Sign-ups use at most half of the threads, so a login waits for at most one sign-up.
 */
export function openPasswordHasher(
  threads = hashingThreads(),
  waiting = 16 * threads,
  rounds = BCRYPT_ROUNDS,
): PasswordHasher & AsyncDisposable {
  const pool = new Piscina({
    // In development this is the source, whose types Node strips; otherwise the built file.
    filename: new URL(`bcrypt-worker${path.extname(import.meta.url)}`, import.meta.url).href,
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: IDLE_MS,
    niceIncrement: NICE,
  });
  const queues = {
    logIn: new TurnQueue('logIn', threads, threads + waiting),
    knownLogIn: new TurnQueue('knownLogIn', threads, threads + waiting),
    signUp: new TurnQueue('signUp', Math.max(1, Math.floor(threads / 2)), threads + waiting),
  };
  return {
    get length() {
      return queues.logIn.length + queues.knownLogIn.length + queues.signUp.length;
    },
    takeTurn: (queue, ip) => {
      const turn = queues[queue].take(ip);
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

class TurnQueue {
  readonly #name: HashingQueue;
  readonly #tasks: RotatingQueue;
  readonly #maxTurns: number;
  readonly #waitingOfNetwork = new Counts();
  readonly #waitingOfSite = new Counts();
  length = 0;

  constructor(name: HashingQueue, threads: number, maxTurns: number) {
    this.#name = name;
    this.#tasks = new RotatingQueue(threads);
    this.#maxTurns = maxTurns;
  }

  take(ip: string) {
    const [network, site] = [networkOf(ip), siteOf(ip)];
    this.#assertFree(network, site);
    this.length += 1;
    this.#waitingOfNetwork.add(network, 1);
    this.#waitingOfSite.add(site, 1);
    let isWaiting = true;
    const stopWaiting = () => {
      if (!isWaiting) return;
      isWaiting = false;
      this.#waitingOfNetwork.add(network, -1);
      this.#waitingOfSite.add(site, -1);
    };
    return {
      run: async <T>(task: () => Promise<T>) =>
        await this.#tasks.run(site, async () => {
          stopWaiting();
          return await task();
        }),
      [Symbol.dispose]: () => {
        stopWaiting();
        this.length -= 1;
      },
    };
  }

  #assertFree(network: string, site: string): void {
    const detail = WAITING_ALREADY[this.#name];
    if (this.#waitingOfNetwork.of(network) >= WAITING_PER_NETWORK) {
      throw new AppError('too_many_requests', 'two turns of this network are waiting', { detail });
    }
    if (this.#waitingOfSite.of(site) >= WAITING_PER_SITE) {
      throw new AppError('too_many_requests', 'four turns of this site are waiting', { detail });
    }
    if (this.length >= this.#maxTurns) {
      throw new AppError('overloaded', `${this.length} passwords: ${this.#name}`, {
        detail: OVERLOADED[this.#name],
      });
    }
  }
}

class Counts {
  readonly #counts = new Map<string, number>();

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  add(key: string, change: number): void {
    const count = this.of(key) + change;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
  }
}
