import { useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';

const KEY = 'operator-at';

/**
 * The entry of the tab's history at which the user was an operator when the document was reloaded, until its page is shown.
 */
let reloaded = takeMark();

/**
 * Removes and returns the mark. The mark counts only after a reload, because typing another address leaves it behind, and a
 * duplicated tab has a copy.
 */
function takeMark(): string | null {
  const entry = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  const [load] = performance.getEntriesByType('navigation');
  return load instanceof PerformanceNavigationTiming && load.type === 'reload' ? entry : null;
}

/** Returns the key of the shown entry of the tab's history. A reload keeps the key, and each new entry gets another one. */
export function useHistoryEntry(): string | undefined {
  return useLocation({ select: ({ state }) => state.key });
}

/** Returns whether the user had taken over from agents at this history entry when the page was reloaded. */
export function wasOperator(entry: string | undefined): boolean {
  return entry !== undefined && entry === reloaded;
}

/**
 * Marks the entry of the tab's history at which the user is an operator, so that the user is still one after a reload. A user
 * who goes to another page hands the conversation back.
 */
export function useOperatorMark(isOperator: boolean): void {
  const entry = useHistoryEntry();
  useEffect(() => {
    reloaded = null;
    if (!isOperator || !entry) return undefined;
    sessionStorage.setItem(KEY, entry);
    return () => sessionStorage.removeItem(KEY);
  }, [entry, isOperator]);
}
