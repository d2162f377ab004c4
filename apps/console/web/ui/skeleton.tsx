import { classNames } from './class-names.ts';

interface SkeletonProps {
  readonly className?: string;
}

/** Hidden from assistive technology, because a page announces loading once, with `LoadingRegion`. */
export function Skeleton({ className }: SkeletonProps) {
  return (
    <span
      aria-hidden
      className={classNames('block animate-breathe rounded-control bg-ink/8', className)}
    />
  );
}

export function CardSkeleton({ rows }: { readonly rows: number }) {
  return (
    <div className="grid gap-3 rounded-card border border-line bg-surface p-4">
      {Array.from({ length: rows }, (_, row) => row + 1).map((row) => (
        <Skeleton key={row} className={row < rows ? 'h-9 w-full' : 'h-9 w-2/3'} />
      ))}
    </div>
  );
}
