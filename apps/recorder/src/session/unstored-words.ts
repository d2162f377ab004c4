/** More are merged, while the history writer cannot store anything. */
const MAX_PASSED_ON = 1000;

interface PassedOn {
  /** When the oldest of the words was received. */
  readonly since: number;
  /** The receipt time of the message with which they were passed on. */
  readonly receivedAt: number;
}

/**
 * Since when a session has words that were received before the message they belong to: the words of a long text stream. A
 * message counts as received at its end. So the history writer, which knows its messages, does not know how old their
 * oldest words are. Times are milliseconds since the epoch.
 */
export class UnstoredWords {
  readonly #held = new Map<string, number>();
  #passedOn: PassedOn[] = [];

  /** Notes that words under `key` have been in memory since then. */
  hold(key: string, since: number): void {
    this.#held.set(key, Math.min(since, this.#held.get(key) ?? since));
  }

  /** Returns since when words under `key` are held, and holds them no longer. */
  release(key: string): number | undefined {
    const since = this.#held.get(key);
    this.#held.delete(key);
    return since;
  }

  /** Notes that words from `since` on were passed to the history writer, in a message that was received at `receivedAt`. */
  passOn(since: number | undefined, receivedAt: number): void {
    if (since === undefined || since >= receivedAt) return;
    this.#passedOn.push({ since, receivedAt });
    if (this.#passedOn.length > MAX_PASSED_ON) this.#passedOn = [merged(this.#passedOn)];
  }

  /** Returns since when words are not stored. `writerOldestAt` is the receipt time of the history writer's oldest message. */
  oldestAt(writerOldestAt: number | undefined): number | undefined {
    const isStored = ({ receivedAt }: PassedOn) =>
      writerOldestAt === undefined || receivedAt < writerOldestAt;
    this.#passedOn = this.#passedOn.filter((words) => !isStored(words));
    return oldestOf(...this.#held.values(), ...this.#passedOn.map(({ since }) => since));
  }
}

/** Returns the earliest of the times, or undefined when there is none. */
export function oldestOf(...times: readonly (number | undefined)[]): number | undefined {
  return times.reduce(
    (oldest, at) => (at === undefined || (oldest !== undefined && oldest <= at) ? oldest : at),
    undefined,
  );
}

function merged(all: readonly PassedOn[]): PassedOn {
  const receivedAt = all.reduce((latest, words) => Math.max(latest, words.receivedAt), 0);
  return { since: oldestOf(...all.map(({ since }) => since)) ?? receivedAt, receivedAt };
}
