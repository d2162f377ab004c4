import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';

export interface Visit {
  readonly at: string | undefined;
  /** Increases when the user goes again to the moment that is shown already. */
  readonly count: number;
}

export interface ShownMoment {
  readonly visit: Visit;
  readonly go: (at: string) => void;
  readonly goLive: () => void;
}

export function useMoment(): ShownMoment {
  const { at } = useSearch({ from: '/signed-in/sessions/$sessionId' });
  const navigate = useNavigate({ from: '/sessions/$sessionId' });
  const [count, setCount] = useState(0);
  const visit = useMemo(() => ({ at, count }), [at, count]);
  const to = (next: string | undefined) => {
    if (next === at) {
      setCount((before) => before + 1);
      return;
    }
    void navigate({
      search: ({ at: _before, ...rest }) => (next === undefined ? rest : { ...rest, at: next }),
      replace: true,
      resetScroll: false,
    });
  };
  return { visit, go: to, goLive: () => to(undefined) };
}
