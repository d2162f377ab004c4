import type { SkipReason } from '@session/contract/room';

type Reason = SkipReason | 'fault' | 'flood';

export class SkipCounts {
  readonly #counts = new Map<Reason, number>();

  add(reason: Reason): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
  }

  toJSON(): Record<string, number> {
    return Object.fromEntries(this.#counts);
  }
}
