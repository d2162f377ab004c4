import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';

/** The moment of a session that the page shows. */
export interface ShownMoment {
  /** Undefined at the live end. */
  readonly at: string | undefined;
  /** Counts up whenever somebody goes to a moment, also to the same one again. */
  readonly count: number;
  readonly go: (at: string) => void;
  readonly goLive: () => void;
}

/** Returns the moment that the address names, and what leads to another. */
export function useMoment(): ShownMoment {
  const { at } = useSearch({ from: '/signed-in/sessions/$sessionId' });
  const navigate = useNavigate({ from: '/sessions/$sessionId' });
  const [count, setCount] = useState(0);
  const to = (next: string | undefined) => {
    setCount((before) => before + 1);
    if (next === at) return;
    void navigate({
      search: ({ at: _before, ...rest }) => (next === undefined ? rest : { ...rest, at: next }),
      replace: true,
      resetScroll: false,
    });
  };
  return { at, count, go: to, goLive: () => to(undefined) };
}
