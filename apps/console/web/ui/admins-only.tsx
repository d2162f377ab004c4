import type { ReactNode } from 'react';
import { EmptyState } from './empty-state.tsx';
import { LoadingRegion } from './loading-region.tsx';

interface AdminsOnlyProps {
  /** Undefined until the user's role is known. */
  readonly isAdmin: boolean | undefined;
  readonly label: string;
  readonly skeleton: ReactNode;
  readonly refusal: { readonly title: string; readonly text: string };
  readonly children: ReactNode;
}

export function AdminsOnly({ isAdmin, label, skeleton, refusal, children }: AdminsOnlyProps) {
  if (isAdmin === undefined) return <LoadingRegion label={label}>{skeleton}</LoadingRegion>;
  return isAdmin ? children : <EmptyState title={refusal.title}>{refusal.text}</EmptyState>;
}
