import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { type LongList, useLongList } from '../../../ui/long-list.ts';
import type { ConversationWindow } from './conversation-window.ts';
import { shows } from './fold-visits.ts';
import type { Jump } from './use-jump.ts';

const PAGE_AHEAD_ROWS = 15;
const END_PX = 48;
const ROW_PX = 64;

export interface ListLayout {
  readonly virtualizer: LongList;
  readonly isAtEnd: boolean;
  readonly visible: readonly { readonly index: number; readonly key: string | number | bigint }[];
  readonly container: (element: HTMLElement | null) => void;
  readonly measure: (element: HTMLElement | null) => void;
}

/**
 * Lays out the rows of a window. Pages that arrive above the reader's row do not move it, and a reader at the end stays at the
 * end.
 */
export function useLayout(
  window: ConversationWindow,
  scroller: HTMLElement | null,
  onAtEnd: (isAtEnd: boolean) => void,
): ListLayout {
  const { rows, isDetached } = window;
  const [isAtEnd, setAtEnd] = useState(true);
  const virtualizer = useLongList<HTMLElement, HTMLElement>({
    count: rows.length,
    getScrollElement: () => scroller,
    estimateSize: () => ROW_PX,
    getItemKey: useCallback((index: number) => rows[index]?.key ?? index, [rows]),
    anchorTo: 'end',
    // A detached part of the history that reaches the live end must not jump to it.
    followOnAppend: !isDetached && isAtEnd,
    scrollEndThreshold: END_PX,
    overscan: 6,
    paddingEnd: 16,
    directDomUpdates: true,
    onChange: (instance) => {
      const isThere = !isDetached && instance.isAtEnd(END_PX);
      if (isThere !== isAtEnd) setAtEnd(isThere);
    },
  });
  // A conversation opens at its end.
  useLayoutEffect(() => {
    if (scroller) virtualizer.scrollToEnd();
  }, [virtualizer, scroller]);
  useKeptEnd(virtualizer, scroller);
  useEffect(() => onAtEnd(isAtEnd), [isAtEnd, onAtEnd]);
  const { containerRef, measureElement, getVirtualItems } = virtualizer;
  const visible = getVirtualItems();
  return { virtualizer, isAtEnd, visible, container: containerRef, measure: measureElement };
}

/** Keeps the end of the list in view when the list gets shorter, because a line appears below it or the field grows. */
function useKeptEnd(virtualizer: LongList, scroller: HTMLElement | null): void {
  useEffect(() => {
    if (!scroller) return undefined;
    let height = scroller.clientHeight;
    const observer = new ResizeObserver(() => {
      const wasAtEnd = scroller.scrollHeight - scroller.scrollTop - height <= END_PX;
      height = scroller.clientHeight;
      if (wasAtEnd) virtualizer.scrollToEnd();
    });
    observer.observe(scroller);
    return () => observer.disconnect();
  }, [virtualizer, scroller]);
}

export function useReadAhead({ virtualizer }: ListLayout, window: ConversationWindow): void {
  const { rows, readOlder, readNewer } = window;
  const { startIndex = Number.POSITIVE_INFINITY, endIndex = 0 } = virtualizer.range ?? {};
  const isNearStart = startIndex < PAGE_AHEAD_ROWS;
  const isNearEnd = endIndex > rows.length - PAGE_AHEAD_ROWS;
  useEffect(() => {
    if (isNearStart) readOlder();
    if (isNearEnd) readNewer();
  });
}

interface Target {
  readonly jump: Jump;
  readonly index: number;
  readonly wasShown: boolean;
  readonly isShown: boolean;
}

/**
 * Scrolls to the row of a jump. The virtualizer scrolls to an index, so an older page that arrives meanwhile would make it stop
 * at another row. The scroll then begins again, unless the reader has scrolled away from the row.
 */
export function useScrollTo(virtualizer: LongList, window: ConversationWindow, jump: Jump): void {
  const target = useRef<Target>(undefined);
  useLayoutEffect(() => {
    const index = rowOf(window, jump);
    if (index < 0) return;
    const former = target.current;
    if (former?.jump !== jump) {
      virtualizer.scrollToIndex(index, { align: 'center' });
      target.current = { jump, index, wasShown: false, isShown: false };
      return;
    }
    if (index === former.index) {
      const isShown = isInView(virtualizer, index);
      target.current = { ...former, isShown, wasShown: former.wasShown || isShown };
      return;
    }
    if (former.isShown || !former.wasShown) {
      virtualizer.scrollToIndex(index, { align: former.wasShown ? 'auto' : 'center' });
    }
    target.current = { ...former, index };
  });
}

function rowOf({ rows }: ConversationWindow, { key }: Jump): number {
  return key === null ? -1 : rows.findIndex((row) => shows(row, key));
}

function isInView({ range }: LongList, index: number): boolean {
  return range !== null && range.startIndex <= index && index <= range.endIndex;
}
