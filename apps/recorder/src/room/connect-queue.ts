import { withDeadline } from '@session/kit';
import type { ListedRoom } from '@session/media';
import pLimit from 'p-limit';

/** How many rooms are connected to at the same time. */
const MAX_CONNECTING = 8;
/** Every so many turns, the oldest request has the turn, so that rooms that keep failing hold up no other room for good. */
const OLDEST_EVERY = 8;
/** How old the numbers of participants may be, and how long the media server may take to report them. */
const COUNTS_MS = 500;
/** Less than any number of participants. */
const NO_ROOM = -1;

interface ConnectQueueDeps {
  /** Returns those of the rooms that exist. May throw. */
  readonly findRooms: (
    names: readonly string[],
  ) => Promise<ReadonlyMap<string, Pick<ListedRoom, 'participantCount'>>>;
}

interface Request {
  readonly room: string;
  readonly begin: () => Promise<void>;
}

/**
 * The attempts to connect to rooms: eight run at the same time, and the others wait. The room with the most participants has
 * the next turn, and of several such rooms the one that was requested first. Every eighth turn is the oldest request's.
 *
 * Only the order of the numbers says anything: recorders are counted too, and one that was killed for another 15 s or so. The
 * server updates a number up to 5 s late, so a room that exists comes before those that do not: after the server's restart
 * there are at first only the rooms that participants have joined again.
 */
export class ConnectQueue {
  readonly #deps: ConnectQueueDeps;
  readonly #limit = pLimit(MAX_CONNECTING);
  /** The oldest request first. */
  #waiting: readonly Request[] = [];
  #turns = 0;
  /** The rooms that existed when the server was asked last. */
  #found: ReadonlyMap<string, Pick<ListedRoom, 'participantCount'>> = new Map();
  #countedAt = Number.NEGATIVE_INFINITY;
  #counting: Promise<void> | undefined;

  constructor(deps: ConnectQueueDeps) {
    this.#deps = deps;
  }

  /** Runs `work`, an attempt to connect to `room`, when it is its turn. Returns and throws what `work` does. */
  async run<T>(room: string, work: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<T>();
    const begin = async () => {
      const working = work();
      resolve(working);
      await working.catch(() => {});
    };
    this.#waiting = [...this.#waiting, { room, begin }];
    void this.#limit(async () => await (await this.#next())?.begin());
    return await promise;
  }

  /** Takes the request out of the queue that has the next turn. */
  async #next(): Promise<Request | undefined> {
    // A recorder requests many rooms at the same moment: the choice is among all of them.
    await new Promise((resolve) => void setImmediate(resolve));
    if (this.#waiting.length > 1) await this.#refreshCounts();
    this.#turns += 1;
    const [oldest] = this.#waiting;
    const next = this.#turns % OLDEST_EVERY === 0 ? oldest : this.#fullest();
    this.#waiting = this.#waiting.filter((request) => request !== next);
    return next;
  }

  #fullest(): Request | undefined {
    const count = ({ room }: Request) => this.#found.get(room)?.participantCount ?? NO_ROOM;
    const most = Math.max(...this.#waiting.map(count));
    return this.#waiting.find((request) => count(request) === most);
  }

  async #refreshCounts(): Promise<void> {
    if (performance.now() - this.#countedAt >= COUNTS_MS) {
      this.#counting ??= this.#count().finally(() => {
        this.#counting = undefined;
        this.#countedAt = performance.now();
      });
    }
    await this.#counting;
  }

  /** Asks for all rooms that wait. A server that does not answer leaves the order of the requests. */
  async #count(): Promise<void> {
    const rooms = this.#waiting.map(({ room }) => room);
    const finding = this.#deps.findRooms(rooms);
    this.#found = await withDeadline(finding, COUNTS_MS).catch(() => new Map());
  }
}
