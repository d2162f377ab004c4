import { classNames } from './class-names.ts';

interface SkeletonProps {
  readonly className?: string;
}

/** The shape of something that is being loaded. A page says so once, with `LoadingRegion`. */
export function Skeleton({ className }: SkeletonProps) {
  return (
    <span
      aria-hidden
      className={classNames('block animate-breathe rounded-control bg-ink/8', className)}
    />
  );
}
