import type { SkipReason } from '@session/contract/room';

/**
 * Why a room event is not in the history: it does not belong there, its sender was too fast, or the recorder failed, which
 * should never happen.
 */
type Reason = SkipReason | 'fault' | 'flood';

/** How many room events are not in the history, by reason. */
export class SkipCounts {
  readonly #counts = new Map<Reason, number>();

  add(reason: Reason): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
  }

  toJSON(): Record<string, number> {
    return Object.fromEntries(this.#counts);
  }
}
