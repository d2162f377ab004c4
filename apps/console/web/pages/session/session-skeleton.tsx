import { LoadingRegion } from '../../ui/loading-region.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';

const LINES = ['w-2/3', 'w-1/2', 'w-3/4', 'w-2/5'];

export function SessionSkeleton() {
  return (
    <LoadingRegion label="Session">
      <div className="flex flex-col gap-4 px-4 pt-4 sm:px-6">
        <Skeleton className="h-6 w-48" />
        <Skeleton className="h-2.5 w-full" />
      </div>
      <RowsSkeleton />
    </LoadingRegion>
  );
}

export function RowsSkeleton() {
  return (
    <div className="flex flex-col gap-5 px-4 pt-8 sm:px-6">
      {LINES.map((width) => (
        <div key={width} className="flex gap-4">
          <Skeleton className="hidden h-4 w-16 sm:block" />
          <div className="flex flex-1 flex-col gap-2">
            <Skeleton className="h-4 w-24" />
            <Skeleton className={`h-4 ${width}`} />
          </div>
        </div>
      ))}
    </div>
  );
}
