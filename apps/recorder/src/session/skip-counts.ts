import type { SkippedReason } from '../process/recorder-health.ts';

export class SkipCounts {
  readonly #counts = new Map<SkippedReason, number>();

  add(reason: SkippedReason): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
  }

  toJSON(): Record<string, number> {
    return Object.fromEntries(this.#counts);
  }
}
