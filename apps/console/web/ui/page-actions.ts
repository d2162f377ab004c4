import { createStore } from '@tanstack/react-store';
import { type ReactNode, useEffect } from 'react';

export interface PageAction {
  readonly key: string;
  readonly name: string;
  readonly kind: string;
  readonly icon: ReactNode;
  readonly run: () => void;
}

/** What the palette offers apart from places to go to. */
export const pageActions = createStore<readonly PageAction[]>([]);

export function usePageActions(actions: readonly PageAction[]): void {
  useEffect(() => {
    pageActions.setState((others) => [...others, ...actions]);
    return () => pageActions.setState((all) => all.filter((action) => !actions.includes(action)));
  });
}
