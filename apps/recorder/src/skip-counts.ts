import type { SkipReason } from '@session/contract/room';

/** How much of what rooms say is not for the history, by reason. */
export class SkipCounts {
  readonly #counts = new Map<SkipReason, number>();

  add(reason: SkipReason): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
  }

  toJSON(): Record<string, number> {
    return Object.fromEntries(this.#counts);
  }
}
