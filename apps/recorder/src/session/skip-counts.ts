import type { SkipReason } from '@session/contract/room';

/** Why something is not in the history: it is not for it, or, as it should never be, by a fault of the recorder. */
type Reason = SkipReason | 'fault';

/** How much of what rooms say is not in the history, by reason. */
export class SkipCounts {
  readonly #counts = new Map<Reason, number>();

  add(reason: Reason): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
  }

  toJSON(): Record<string, number> {
    return Object.fromEntries(this.#counts);
  }
}
