import type { AnyRouter, ParsedLocation } from '@tanstack/react-router';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Whether the page takes the focus in its field instead of its heading. */
    readonly isForWriting?: boolean;
  }
}

const GIVEN_UP_MS = 10_000;

/**
 * Moves the focus to the heading of each page that the user opens, as a browser does for a new document. On a page for writing,
 * moves it to the page's field. Returns a function that stops this.
 */
export function focusPages(router: AnyRouter): () => void {
  let stop: (() => void) | undefined;
  let stopEarly: (() => void) | undefined;
  // The keys of a page may work before its field is loaded, so what is typed is dropped from here on.
  const endBefore = router.subscribe('onBeforeNavigate', (change) => {
    stopEarly?.();
    if (!isForWriting(change.toLocation) || !isGoneTo(change)) return;
    stop?.();
    stopEarly = waitForKeys(swallowText).stop;
  });
  const end = router.subscribe('onResolved', (change) => {
    if (!isGoneTo(change)) return;
    stopEarly?.();
    stop?.();
    stop = isForWriting(change.toLocation)
      ? focusFirst('main textarea', swallowText)
      : focusFirst('main h1', stopUnlessShift);
  });
  return () => {
    endBefore();
    end();
    stopEarly?.();
    stop?.();
  };
}

interface Change {
  readonly fromLocation?: ParsedLocation | undefined;
  readonly toLocation: ParsedLocation;
  readonly pathChanged: boolean;
}

function isForWriting({ state }: ParsedLocation): boolean {
  return state.isForWriting === true;
}

/**
 * Returns whether the user goes to another page. A sign-in also resolves the shown page again, which must not end the
 * waiting.
 */
function isGoneTo({ fromLocation, toLocation, pathChanged }: Change): boolean {
  if (!fromLocation) return false;
  if (pathChanged) return true;
  return isForWriting(toLocation) && fromLocation.state.key !== toLocation.state.key;
}

/**
 * Focuses the first element of `selector`, which a page may show late. A page keeps a focus that it has set itself. If `onKey`
 * or a press of a pointer ends the waiting first, the focus stays. Returns a function that ends the waiting.
 */
function focusFirst(selector: string, onKey: OnKey) {
  const { signal, stop } = waitForKeys(onKey);
  const focus = () => {
    if (document.activeElement?.closest('main > *, dialog')) return stop();
    const element = document.querySelector<HTMLElement>(selector);
    if (!element) return undefined;
    if (element.tabIndex < 0) element.tabIndex = -1;
    element.focus();
    return stop();
  };
  const observer = new MutationObserver(focus);
  signal.addEventListener('abort', () => observer.disconnect());
  observer.observe(document.body, { childList: true, subtree: true });
  focus();
  return stop;
}

type OnKey = (event: KeyboardEvent, stop: () => void) => void;

/** Passes each key to `onKey` until `stop`, a press of a pointer, or `GIVEN_UP_MS`. */
function waitForKeys(onKey: OnKey) {
  const waiting = new AbortController();
  const { signal } = waiting;
  const stop = () => waiting.abort();
  const timer = setTimeout(stop, GIVEN_UP_MS);
  signal.addEventListener('abort', () => clearTimeout(timer));
  addEventListener('keydown', (event) => onKey(event, stop), { capture: true, signal });
  addEventListener('pointerdown', stop, { signal });
  return { signal, stop };
}

/** Shift alone does not end the waiting, because a capital letter may follow. */
function stopUnlessShift({ key }: KeyboardEvent, stop: () => void): void {
  if (key !== 'Shift') stop();
}

/** Drops what a user types before the field is there, so that it does not trigger the page's shortcuts. */
function swallowText(event: KeyboardEvent, stop: () => void): void {
  const isText = event.key.length === 1 && !event.ctrlKey && !event.altKey && !event.metaKey;
  if (isText) event.stopImmediatePropagation();
  else stopUnlessShift(event, stop);
}
