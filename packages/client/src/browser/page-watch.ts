import type { PageState } from '../conversation/page-state.ts';

/** How often the clock is read, and how much later than that a reading must be for the machine to have slept. */
const CLOCK_MS = 5000;
const SLEPT_MS = 10_000;

/** The page that this code runs in. */
export const pageWatch: PageState = {
  hiddenMs: 30_000,
  get isHidden() {
    return document.visibilityState === 'hidden';
  },
  watch(listener, signal) {
    for (const event of ['visibilitychange', 'resume'])
      document.addEventListener(event, listener, { signal });
    for (const event of ['online', 'pageshow'])
      window.addEventListener(event, listener, { signal });
    watchSleep(listener, signal);
  },
};

/** Calls `listener` after this machine has slept: a page that is visible all the while gets no event. */
function watchSleep(listener: () => void, signal: AbortSignal): void {
  let before = Date.now();
  const timer = setInterval(() => {
    const now = Date.now();
    if (now - before > CLOCK_MS + SLEPT_MS) listener();
    before = now;
  }, CLOCK_MS);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}
