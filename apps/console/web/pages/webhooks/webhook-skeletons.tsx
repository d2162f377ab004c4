import { Skeleton } from '../../ui/skeleton.tsx';

export function WebhookSkeletons() {
  return (
    <div className="grid gap-3 rounded-card border border-line bg-surface p-4">
      <Skeleton className="h-9 w-full" />
      <Skeleton className="h-9 w-2/3" />
    </div>
  );
}
