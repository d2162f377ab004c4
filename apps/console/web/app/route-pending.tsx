import { LoadingRegion } from '../ui/loading-region.tsx';
import { Page } from '../ui/page.tsx';
import { Skeleton } from '../ui/skeleton.tsx';

export function RoutePending() {
  return (
    <Page>
      <LoadingRegion label="this page">
        <div className="grid gap-6">
          <Skeleton className="h-8 w-60 max-w-full" />
          <div className="grid gap-3">
            <Skeleton className="h-16" />
            <Skeleton className="h-16" />
            <Skeleton className="h-16" />
          </div>
        </div>
      </LoadingRegion>
    </Page>
  );
}
