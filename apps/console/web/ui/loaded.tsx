import type { ReactNode } from 'react';
import { ErrorNotice } from './error-notice.tsx';
import { LoadingRegion } from './loading-region.tsx';

interface LoadedProps<Data> {
  readonly query: {
    readonly data: Data | undefined;
    readonly error: unknown;
    readonly refetch: () => unknown;
  };
  readonly label: string;
  readonly skeleton: ReactNode;
  /** Reports no failure to read again what is shown. */
  readonly isQuiet?: boolean;
  readonly children: (data: Data) => ReactNode;
}

/** Shows what a query has read, and until then its skeleton, or why it failed with a button that tries again. */
export function Loaded<Data>({
  query: { data, error, refetch },
  label,
  skeleton,
  isQuiet = false,
  children,
}: LoadedProps<Data>) {
  const isShown = data !== undefined;
  return (
    <>
      {error && !(isShown && isQuiet) ? (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      ) : null}
      {isShown || error ? null : <LoadingRegion label={label}>{skeleton}</LoadingRegion>}
      {isShown ? children(data) : null}
    </>
  );
}
