import { useState } from 'react';
import { usePageKeys } from '../../../service/use-page-keys.ts';
import type { ConversationWindow } from './conversation-window.ts';
import type { ListLayout } from './use-layout.ts';

interface KeyTargets {
  readonly layout: ListLayout;
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

export function useConversationKeys({ layout, window, scroller, toEnd, onGap }: KeyTargets): void {
  const [lastKey, setLastKey] = useState<string>();
  const { rows } = window;
  const focused = () => {
    const article = document.activeElement?.closest('article[data-key]');
    const key = article?.getAttribute('data-key') ?? lastKey;
    return rows.findIndex((row) => row.key === key);
  };
  const middle = () => {
    const { startIndex = 0, endIndex = 0 } = layout.virtualizer.range ?? {};
    return Math.floor((startIndex + endIndex) / 2);
  };
  const step = (by: -1 | 1) => {
    const from = focused();
    const { endIndex = 0 } = layout.virtualizer.range ?? {};
    const index = Math.min(Math.max(from < 0 ? endIndex : from + by, 0), rows.length - 1);
    const key = rows[index]?.key;
    if (key === undefined) return;
    setLastKey(key);
    // A rendered row is focused directly. During a scroll to an index, an older page that arrives would lead to another row.
    if (focusRow(scroller, key)) return;
    layout.virtualizer.scrollToIndex(index, { align: 'auto' });
    focusWhenThere(scroller, key);
  };
  usePageKeys((event) => {
    const key = event.key.toLowerCase();
    const by = STEPS.get(key);
    const gapStep = GAP_STEPS.get(key);
    if (by) step(by);
    else if (gapStep) {
      const at = focused();
      const time = rows[at < 0 ? middle() : at]?.item.timestamp ?? rows.at(-1)?.item.timestamp;
      if (time) onGap(time, gapStep);
    } else if (key === 'g') toEnd();
    else return;
    event.preventDefault();
  });
}

function focusRow(scroller: HTMLElement | null, key: string): boolean {
  const row = scroller?.querySelector<HTMLElement>(`article[data-key="${key}"]`);
  row?.focus({ preventScroll: true });
  row?.scrollIntoView({ block: 'nearest' });
  return Boolean(row);
}

function focusWhenThere(scroller: HTMLElement | null, key: string, frames = 10): void {
  if (focusRow(scroller, key) || frames === 0) return;
  requestAnimationFrame(() => focusWhenThere(scroller, key, frames - 1));
}
