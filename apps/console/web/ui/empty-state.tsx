import type { ReactNode } from 'react';

interface EmptyStateProps {
  /** A sentence. */
  readonly title: string;
  readonly children?: ReactNode;
  /** What will be here, drawn. */
  readonly drawing?: ReactNode;
  /** One button. */
  readonly action?: ReactNode;
}

/** A page or a list that has nothing yet: a sentence, a drawing of what will be there, and one button. */
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
