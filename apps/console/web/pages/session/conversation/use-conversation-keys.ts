import { useState } from 'react';
import { usePageKeys } from '../page-keys.ts';
import type { ConversationWindow } from './conversation-window.ts';
import type { Rows } from './use-rows.ts';

interface KeyTargets {
  readonly rows: Rows;
  readonly window: ConversationWindow;
  readonly scroller: HTMLElement | null;
  readonly toEnd: () => void;
  readonly onGap: (time: string, step: -1 | 1) => void;
}

const STEPS: ReadonlyMap<string, -1 | 1> = new Map([
  ['j', 1],
  ['k', -1],
]);
const GAP_STEPS: ReadonlyMap<string, -1 | 1> = new Map([
  [']', 1],
  ['[', -1],
]);

/** J and K go from message to message, G to the end, and the brackets from gap to gap. */
export function useConversationKeys({ rows, window, scroller, toEnd, onGap }: KeyTargets): void {
  const [lastKey, setLastKey] = useState<string>();
  const { items } = window;
  const focused = () => {
    const row = document.activeElement?.closest('article[data-key]');
    const key = row?.getAttribute('data-key') ?? lastKey;
    return items.findIndex((item) => item.key === key);
  };
  const middle = () => {
    const { startIndex = 0, endIndex = 0 } = rows.virtualizer.range ?? {};
    return Math.floor((startIndex + endIndex) / 2);
  };
  const step = (by: -1 | 1) => {
    const from = focused();
    const { endIndex = 0 } = rows.virtualizer.range ?? {};
    const index = Math.min(Math.max(from < 0 ? endIndex : from + by, 0), items.length - 1);
    const key = items[index]?.key;
    if (key === undefined) return;
    setLastKey(key);
    rows.virtualizer.scrollToIndex(index, { align: 'auto' });
    focusWhenThere(scroller, key);
  };
  usePageKeys((event) => {
    const key = event.key.toLowerCase();
    const by = STEPS.get(key);
    const gapStep = GAP_STEPS.get(key);
    if (by) step(by);
    else if (gapStep) {
      const at = focused();
      const time = items[at < 0 ? middle() : at]?.timestamp ?? items.at(-1)?.timestamp;
      if (time) onGap(time, gapStep);
    } else if (key === 'g') toEnd();
    else return;
    event.preventDefault();
  });
}

/** Focuses a row as soon as it is rendered. */
function focusWhenThere(scroller: HTMLElement | null, key: string, frames = 10): void {
  const row = scroller?.querySelector<HTMLElement>(`article[data-key="${key}"]`);
  if (row) row.focus({ preventScroll: true });
  else if (frames > 0) requestAnimationFrame(() => focusWhenThere(scroller, key, frames - 1));
}
