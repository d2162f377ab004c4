import type { RoomMessage } from '@session/contract/room';
import type { MessageWithoutId, NewMessageRow } from '@session/db';

/** As far as two recorders may be apart in when they hear the same: by their clocks, and where one has much to do. */
const SKEW_MS = 5000;
/**
 * What the first says it has stored it may not have heard: it finds out up to 15 s late that its connection is dead. And
 * what it stores after that is looked for as far back as one skew.
 */
const KEPT_MS = 15_000 + SKEW_MS;
const MAX_WAITING = 10_000;

interface UnnamedDeps {
  /** Takes a message to store it. */
  readonly store: (message: RoomMessage & Pick<NewMessageRow, 'intervalId'>) => void;
  /** More was to be kept than may: from one time to the other (milliseconds since the epoch) we are no help any more. */
  readonly dropped: (from: number, to: number) => void;
}

/**
 * A session's messages that have no id in the room. Any other is in the history once, however many recorders store it;
 * each of these must be stored by exactly one of them: the first, which has heard the session longest.
 *
 * standing by: another is the first, or it is not known yet who is. Messages are kept until the first has stored its own.
 *
 * leading: we are the first. Messages are stored at once.
 */
export class UnnamedMessages {
  readonly #deps: UnnamedDeps;
  #waiting: RoomMessage[] = [];
  /** The interval for which we lead; undefined while we stand by. */
  #intervalId: string | undefined;
  #asked = new AbortController();

  constructor(deps: UnnamedDeps) {
    this.#deps = deps;
  }

  /** Milliseconds since the epoch: when the oldest of those was received that are kept. */
  get oldestAt(): number | undefined {
    return this.#waiting[0]?.receivedAt;
  }

  push(message: RoomMessage): void {
    const intervalId = this.#intervalId;
    if (intervalId !== undefined) {
      this.#deps.store({ ...message, intervalId });
      return;
    }
    this.#waiting.push(message);
    if (this.#waiting.length <= MAX_WAITING) return;
    const dropped = this.#waiting.splice(0, MAX_WAITING / 10);
    const [from, to] = [dropped[0], dropped.at(-1)];
    if (from && to) this.#deps.dropped(from.receivedAt, to.receivedAt + 1);
  }

  /** The first has stored all that it received before `flushedAt` (milliseconds since the epoch): little of it is kept. */
  follow(flushedAt: number): void {
    this.standBy();
    const from = flushedAt - KEPT_MS;
    this.#waiting = this.#waiting.filter(({ receivedAt }) => receivedAt >= from);
  }

  /** It is to be found out anew who is the first. */
  standBy(): void {
    this.#intervalId = undefined;
    this.#asked.abort();
  }

  /**
   * We are the first, for as long as that interval of ours lasts. What the one before us has not stored is stored now;
   * `listStored` gives what is stored after a time. Throws when that does.
   */
  async lead(
    intervalId: string,
    listStored: (after: string) => Promise<readonly MessageWithoutId[]>,
  ): Promise<void> {
    if (this.#intervalId === intervalId) return;
    const asked = new AbortController();
    this.#asked = asked;
    const { oldestAt } = this;
    const after = oldestAt === undefined ? undefined : new Date(oldestAt - KEPT_MS).toISOString();
    const stored = after === undefined ? [] : await listStored(after);
    // Meanwhile the interval may have ended.
    if (asked.signal.aborted) return;
    this.#intervalId = intervalId;
    for (const message of notIn(stored, this.#waiting.splice(0))) this.push(message);
  }

  /** Gives up what is kept, and gives when the oldest of it was received; undefined when there is none. */
  end(): number | undefined {
    const { oldestAt } = this;
    this.#waiting = [];
    return oldestAt;
  }
}

/**
 * Gives those of `heard` that are not among `stored`. Each that is stored stands for one: for the one that was heard nearest
 * to it, for people say the same again.
 */
function notIn(stored: readonly MessageWithoutId[], heard: readonly RoomMessage[]): RoomMessage[] {
  const left = Map.groupBy(stored, ({ kind, content }) => `${kind} ${content}`);
  const take = (message: RoomMessage, skewMs: number) => {
    const same = left.get(`${message.kind} ${message.content}`) ?? [];
    const distances = same.map((one) => distanceOf(one, message, skewMs));
    const nearest = Math.min(...distances);
    if (nearest === Number.POSITIVE_INFINITY) return false;
    same.splice(distances.indexOf(nearest), 1);
    return true;
  };
  const newestStored = new Map<string | null, number>();
  const missing = [...heard.entries()].filter(([place, message]) => {
    const isStored = take(message, SKEW_MS);
    if (isStored) newestStored.set(senderOf(message), place);
    return !isStored;
  });
  // One that has just come hears later what it hears first. Of what somebody said before something that is stored, the row may
  // be older, for whoever stored that has heard this too.
  return missing.flatMap(([place, message]) => {
    const isBefore = place < (newestStored.get(senderOf(message)) ?? 0);
    return isBefore && take(message, KEPT_MS) ? [] : message;
  });
}

function senderOf({ metadata }: RoomMessage): string | null {
  return metadata.participant?.identity ?? null;
}

/**
 * Gives how far apart in time the two are, in milliseconds; Infinity when they cannot be the same, as when the one was
 * stored more than `skewMs` before the other was heard.
 */
function distanceOf(
  { timestamp, identity }: MessageWithoutId,
  heard: RoomMessage,
  skewMs: number,
): number {
  const sender = senderOf(heard);
  // One of two recorders may not have found out who it was.
  const isSender = identity === sender || identity === null || sender === null;
  const laterMs = Date.parse(timestamp) - heard.receivedAt;
  return isSender && laterMs >= -skewMs ? Math.abs(laterMs) : Number.POSITIVE_INFINITY;
}
