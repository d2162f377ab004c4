import { withDeadline } from '@session/kit';
import type { ListedRoom } from '@session/media';
import pLimit from 'p-limit';

const MAX_CONNECTING = 8;
/** One of this many turns goes to the oldest request, so that rooms that keep failing do not block others for good. */
const OLDEST_EVERY = 8;
const COUNTS_MS = 500;
const OLD_COUNTS_MS = 10_000;
const NO_ROOM = -1;

type CountedRooms = ReadonlyMap<string, Pick<ListedRoom, 'participantCount'>>;

interface ConnectQueueDeps {
  readonly findRooms: (names: readonly string[]) => Promise<CountedRooms>;
}

interface Counts {
  readonly askedAt: number;
  readonly rooms: CountedRooms;
}

interface Request {
  readonly room: string;
  readonly begin: () => Promise<void>;
}

/**
 * The attempts to connect to rooms, eight at a time. The room with the most participants is next; of several, the one
 * that was requested first. Every eighth turn goes to the oldest request. The numbers include recorders, and may be some
 * seconds old. A room that does not exist yet comes last: after a restart of the server, the existing rooms are those that
 * participants have joined again.
 */
export class ConnectQueue {
  readonly #deps: ConnectQueueDeps;
  readonly #limit = pLimit(MAX_CONNECTING);
  #waiting: readonly Request[] = [];
  #turns = 0;
  #counts: Counts = { askedAt: Number.NEGATIVE_INFINITY, rooms: new Map() };
  #countedAt = Number.NEGATIVE_INFINITY;
  #counting: Promise<void> | undefined;

  constructor(deps: ConnectQueueDeps) {
    this.#deps = deps;
  }

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

  async #next(): Promise<Request | undefined> {
    // A recorder requests many rooms at the same moment, and the choice must be among all of them.
    await new Promise((resolve) => void setImmediate(resolve));
    if (this.#waiting.length > 1) await this.#refreshCounts();
    this.#turns += 1;
    const [oldest] = this.#waiting;
    const next = this.#turns % OLDEST_EVERY === 0 ? oldest : this.#fullest();
    this.#waiting = this.#waiting.filter((request) => request !== next);
    return next;
  }

  #fullest(): Request | undefined {
    const { askedAt, rooms } = this.#counts;
    const isOld = performance.now() - askedAt > OLD_COUNTS_MS;
    const count = ({ room }: Request) =>
      isOld ? NO_ROOM : (rooms.get(room)?.participantCount ?? NO_ROOM);
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

  /**
   * Updates the counts. Without an answer in time, the former counts are used, unless they are old. A late answer is
   * used from then on.
   */
  async #count(): Promise<void> {
    const askedAt = performance.now();
    const find = async () => {
      const rooms = await this.#deps.findRooms(this.#waiting.map(({ room }) => room));
      if (askedAt > this.#counts.askedAt) this.#counts = { askedAt, rooms };
    };
    await withDeadline(find(), COUNTS_MS).catch(() => {});
  }
}
