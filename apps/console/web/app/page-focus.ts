import type { AnyRouter } from '@tanstack/react-router';
import type { TypeAhead } from '../service/type-ahead.ts';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The page takes the focus in its field instead of its heading, and in the field what was typed meanwhile. */
    readonly isForWriting?: boolean;
  }
}

const GIVEN_UP_MS = 10_000;

/**
 * Moves the focus to the heading of each page that the user goes to, as a browser does for a new document. What was typed on
 * the way to a page for writing goes into its field. Returns a function that ends this.
 */
export function focusPages(router: AnyRouter, typeAhead: TypeAhead): () => void {
  let stop: (() => void) | undefined;
  const end = router.subscribe('onResolved', ({ fromLocation, toLocation, pathChanged }) => {
    const isForWriting = toLocation.state.isForWriting === true;
    // The page that is shown is also resolved again when a user signs in. That ends no waiting.
    const isGoneTo = pathChanged || fromLocation?.state.key !== toLocation.state.key;
    if (!fromLocation || !(isForWriting ? isGoneTo : pathChanged)) return;
    stop?.();
    stop = isForWriting
      ? focusFirst('main textarea', (field) => insert(field, typeAhead.end()))
      : focusFirst('main h1');
  });
  return () => {
    end();
    stop?.();
  };
}

/**
 * Focuses the first element of `selector`, which a page may show late. A page keeps a focus that it has set itself, and a
 * user who presses a key or a button meanwhile keeps theirs. Calls `onEnd` with the element, or with none when it got no focus. Returns
 * a function that ends the waiting.
 */
function focusFirst(
  selector: string,
  onEnd: (element: HTMLElement | undefined) => void = () => undefined,
): () => void {
  const waiting = new AbortController();
  const { signal } = waiting;
  const stop = (element?: HTMLElement) => {
    if (signal.aborted) return;
    waiting.abort();
    onEnd(element);
  };
  const giveUp = () => stop();
  const focus = () => {
    if (document.activeElement?.closest('main > *, dialog')) return stop();
    const element = document.querySelector<HTMLElement>(selector);
    if (!element) return undefined;
    if (element.tabIndex < 0) element.tabIndex = -1;
    element.focus();
    return stop(element);
  };
  const observer = new MutationObserver(focus);
  const timer = setTimeout(giveUp, GIVEN_UP_MS);
  signal.addEventListener('abort', () => {
    observer.disconnect();
    clearTimeout(timer);
  });
  const onKey = ({ key }: KeyboardEvent) => {
    // Shift alone does nothing yet: a capital letter follows.
    if (key !== 'Shift') stop();
  };
  addEventListener('keydown', onKey, { signal });
  addEventListener('pointerdown', giveUp, { signal });
  observer.observe(document.body, { childList: true, subtree: true });
  focus();
  return giveUp;
}

/** Writes at the end of a field what the user typed before it was there. */
function insert(field: HTMLElement | undefined, text: string): void {
  if (text === '' || !(field instanceof HTMLTextAreaElement)) return;
  const { length } = field.value;
  field.setRangeText(text, length, length, 'end');
  field.dispatchEvent(new InputEvent('input', { bubbles: true, data: text }));
}
