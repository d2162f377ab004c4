import type { ReactNode } from 'react';
import { LoadingRegion } from '../../ui/loading-region.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';

interface SectionHeaderProps {
  readonly id: string;
  readonly title: string;
  readonly children?: ReactNode;
}

/** The heading of a part of a page, with its buttons. */
export function SectionHeader({ id, title, children }: SectionHeaderProps) {
  return (
    <div className="flex min-h-9 flex-wrap items-center justify-between gap-2">
      <h2 id={id} className="font-strong text-title">
        {title}
      </h2>
      <div className="flex flex-wrap gap-2">{children}</div>
    </div>
  );
}

/** The shape of a list that is being loaded. */
export function ListSkeleton({ label }: { readonly label: string }) {
  return (
    <LoadingRegion label={label}>
      <div className="grid gap-3 rounded-card border border-line bg-surface p-4">
        <Skeleton className="h-5 w-40" />
        <Skeleton className="h-4 w-full" />
      </div>
    </LoadingRegion>
  );
}
