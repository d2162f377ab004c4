import type { PageState } from '../src/index.ts';

/** A page that is hidden, shown and woken on demand. */
export class FakePage implements PageState {
  readonly listeners = new Set<() => void>();
  isHidden: boolean;
  readonly hiddenMs: number;

  constructor(isHidden: boolean, hiddenMs = 3_600_000) {
    this.isHidden = isHidden;
    this.hiddenMs = hiddenMs;
  }

  watch(listener: () => void, signal: AbortSignal): void {
    this.listeners.add(listener);
    signal.addEventListener('abort', () => this.listeners.delete(listener));
  }

  setHidden(isHidden: boolean): void {
    this.isHidden = isHidden;
    this.wake();
  }

  wake(): void {
    for (const listener of this.listeners) listener();
  }
}
