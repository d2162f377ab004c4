import type { AnyRouter } from '@tanstack/react-router';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The page takes the focus in its field instead of its heading. */
    readonly isForWriting?: boolean;
  }
}

const GIVEN_UP_MS = 10_000;

/**
 * Moves the focus to the heading of each page that the user goes to, as a browser does for a new document. Returns a function
 * that ends this.
 */
export function focusPages(router: AnyRouter): () => void {
  let stop: (() => void) | undefined;
  const end = router.subscribe('onResolved', ({ fromLocation, toLocation, pathChanged }) => {
    if (!fromLocation || !pathChanged) return;
    stop?.();
    stop = focusFirst(toLocation.state.isForWriting ? 'main textarea' : 'main h1');
  });
  return () => {
    end();
    stop?.();
  };
}

/**
 * Focuses the first element of `selector`, which a page may show late. A page keeps a focus that it has set itself, and whoever
 * presses a key or a button meanwhile keeps theirs. Returns a function that ends the waiting.
 */
function focusFirst(selector: string): () => void {
  const waiting = new AbortController();
  const { signal } = waiting;
  const stop = () => waiting.abort();
  const focus = () => {
    if (document.activeElement?.closest('main > *, dialog')) return stop();
    const element = document.querySelector<HTMLElement>(selector);
    if (!element) return undefined;
    if (element.tabIndex < 0) element.tabIndex = -1;
    element.focus();
    return stop();
  };
  const observer = new MutationObserver(focus);
  const timer = setTimeout(stop, GIVEN_UP_MS);
  signal.addEventListener('abort', () => {
    observer.disconnect();
    clearTimeout(timer);
  });
  addEventListener('keydown', stop, { signal });
  addEventListener('pointerdown', stop, { signal });
  observer.observe(document.body, { childList: true, subtree: true });
  focus();
  return stop;
}
