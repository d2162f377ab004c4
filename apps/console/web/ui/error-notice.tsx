import { TriangleAlert } from 'lucide-react';
import { Button } from './button.tsx';
import { classNames } from './class-names.ts';
import { CopyButton } from './copy-button.tsx';
import { failureOf } from './failure.ts';

interface ErrorNoticeProps {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
  readonly isRetrying?: boolean;
  readonly className?: string;
}

export function ErrorNotice({ error, onRetry, isRetrying = false, className }: ErrorNoticeProps) {
  if (!error) return null;
  const { title, detail, requestId } = failureOf(error);
  return (
    <div
      role="alert"
      className={classNames(
        'flex min-w-0 gap-3 rounded-card border border-gap/40 bg-gap-soft p-4 text-control',
        className,
      )}
    >
      <TriangleAlert aria-hidden size={18} className="mt-px shrink-0 text-gap" />
      <div className="grid min-w-0 flex-1 grid-cols-[minmax(0,1fr)] justify-items-start gap-1">
        <p className="font-strong text-ink wrap-anywhere">{title}</p>
        {detail ? <p className="text-ink-2 wrap-anywhere">{detail}</p> : null}
        {onRetry || requestId ? (
          <div className="mt-2 flex w-full flex-wrap items-center gap-x-3 gap-y-2">
            {onRetry ? (
              <Button size="small" isBusy={isRetrying} onClick={onRetry}>
                Try again
              </Button>
            ) : null}
            {requestId ? (
              <span className="inline-flex min-w-0 max-w-full items-center gap-1 text-ink-3 text-label">
                Request <code className="truncate font-mono">{requestId}</code>
                <CopyButton text={requestId} label="Copy the request id" />
              </span>
            ) : null}
          </div>
        ) : null}
      </div>
    </div>
  );
}
