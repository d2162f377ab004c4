import { type ReactNode, useState } from 'react';
import { ErrorNotice } from './error-notice.tsx';
import { LoadingRegion } from './loading-region.tsx';

interface LoadedProps<Data> {
  readonly query: {
    readonly data: Data | undefined;
    readonly error: unknown;
    readonly errorUpdatedAt: number;
    readonly isFetching: boolean;
    readonly refetch: () => unknown;
  };
  readonly label: string;
  readonly skeleton: ReactNode;
  /** Whether to hide that a later read failed, while earlier data is shown. */
  readonly isQuiet?: boolean;
  readonly children: (data: Data) => ReactNode;
}

/** Shows what a query has read. Until then shows its skeleton, or why the query failed with a button that retries. */
export function Loaded<Data>({
  query: { data, error: errorNow, errorUpdatedAt, isFetching, refetch },
  label,
  skeleton,
  isQuiet = false,
  children,
}: LoadedProps<Data>) {
  const isShown = data !== undefined;
  const lastError = useLastError(errorNow, errorUpdatedAt);
  const error = isShown ? errorNow : lastError;
  return (
    <>
      {error && !(isShown && isQuiet) ? (
        <ErrorNotice error={error} isRetrying={isFetching} onRetry={() => void refetch()} />
      ) : null}
      {isShown || error ? null : <LoadingRegion label={label}>{skeleton}</LoadingRegion>}
      {isShown ? children(data) : null}
    </>
  );
}

/**
 * Returns why a query failed last, even while it is read again. Without data, TanStack Query forgets the error during
 * that time, and the retry button would vanish under the pointer. `at` shows whether the error belongs to another query
 * that has taken its place.
 */
function useLastError(error: unknown, at: number): unknown {
  const [last, setLast] = useState({ error, at });
  if (!error) return at === last.at ? last.error : null;
  if (error !== last.error || at !== last.at) setLast({ error, at });
  return error;
}
