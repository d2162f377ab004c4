import type { PageState } from '../conversation/room.ts';

const HIDDEN_MS = 30_000;
/** How often the clock is read. A reading that is more than `SLEPT_MS` late shows that the machine has slept. */
const CLOCK_MS = 5000;
const SLEPT_MS = 10_000;

export class PageWatch implements PageState {
  readonly hiddenMs = HIDDEN_MS;
  #isFrozen = false;

  get isHidden(): boolean {
    return this.#isFrozen || document.visibilityState === 'hidden';
  }

  watch(listener: () => void, signal: AbortSignal): void {
    const options = { signal };
    const setFrozen = ({ type }: Event) => {
      this.#isFrozen = type === 'freeze';
      listener();
    };
    document.addEventListener('freeze', setFrozen, options);
    document.addEventListener('resume', setFrozen, options);
    document.addEventListener('visibilitychange', listener, options);
    window.addEventListener('online', listener, options);
    window.addEventListener('pageshow', listener, options);
    watchSleep(listener, signal);
  }
}

/** Calls `listener` when the machine has slept, because a page that stays visible gets no event then. */
function watchSleep(listener: () => void, signal: AbortSignal): void {
  let before = Date.now();
  const timer = setInterval(() => {
    const now = Date.now();
    if (now - before > CLOCK_MS + SLEPT_MS) listener();
    before = now;
  }, CLOCK_MS);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}
