import { useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

const HEADING = 'main h1';
const GIVEN_UP_MS = 10_000;

/**
 * Moves the focus to the heading of each page that the user goes to, as a browser does for a new document. A page may show its
 * heading late; it keeps a focus that it has set itself, and whoever presses a key meanwhile keeps theirs.
 */
export function useHeadingFocus(): void {
  const { pathname } = useLocation();
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return undefined;
    shown.current = pathname;
    return focusHeading();
  }, [pathname]);
}

function focusHeading(): () => void {
  const end = new AbortController();
  const { signal } = end;
  const stop = () => end.abort();
  const observer = new MutationObserver(() => focus());
  const focus = () => {
    if (document.activeElement?.closest('main, dialog')) return stop();
    const heading = document.querySelector<HTMLElement>(HEADING);
    if (!heading) return undefined;
    heading.tabIndex = -1;
    heading.focus();
    return stop();
  };
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
