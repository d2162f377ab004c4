import type { ReactNode } from 'react';

interface EmptyStateProps {
  readonly title: string;
  readonly children?: ReactNode;
  readonly drawing?: ReactNode;
  readonly action?: ReactNode;
}

export function EmptyState({ title, children, drawing, action }: EmptyStateProps) {
  return (
    <div className="grid justify-items-start gap-5 rounded-card border border-line bg-surface p-6 sm:p-8">
      {drawing ? <div className="w-full max-w-140 text-ink-3">{drawing}</div> : null}
      <div className="grid max-w-140 gap-1">
        <h2 className="font-strong text-title">{title}</h2>
        {children ? <div className="text-ink-2">{children}</div> : null}
      </div>
      {action}
    </div>
  );
}
