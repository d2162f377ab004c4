import { useCallback, useState } from 'react';
import type { Row } from './fold-visits.ts';

/** Which runs of joins and leaves are open. */
export interface OpenRuns {
  readonly isOpen: (row: Row) => boolean;
  readonly toggle: (row: Row) => void;
}

/** Keeps which runs are open by their messages: a run that grows has another key, and one that is scrolled away is not rendered. */
export function useOpenRuns(): OpenRuns {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const isOpen = useCallback((row: Row) => keysOf(row).some((key) => keys.has(key)), [keys]);
  const toggle = useCallback((row: Row) => {
    setKeys((open) => {
      const own = keysOf(row);
      const others = [...open].filter((key) => !own.includes(key));
      return new Set(others.length < open.size ? others : [...others, ...own]);
    });
  }, []);
  return { isOpen, toggle };
}

function keysOf({ visits = [] }: Row): string[] {
  return visits.map(({ key }) => key);
}
