export interface IntervalEnd {
  readonly to: number;
  readonly endReason: string;
}

const MAX_KNOWN = 10_000;
/** An interval with an unknown end covers nothing, because its recorder may have left the room at once. */
const UNKNOWN_END: IntervalEnd = { to: 0, endReason: 'connection_lost' };

/**
 * The ends of the last intervals of this process, in all its slots. After a failover the database may have those
 * intervals as open.
 */
export class KnownEnds {
  readonly #ends = new Map<string, IntervalEnd>();

  add(id: string, end: IntervalEnd): void {
    this.#ends.set(id, end);
    const [oldest] = this.#ends.keys();
    if (this.#ends.size > MAX_KNOWN && oldest) this.#ends.delete(oldest);
  }

  get(id: string): IntervalEnd {
    return this.#ends.get(id) ?? UNKNOWN_END;
  }
}
