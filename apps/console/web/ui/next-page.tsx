import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { ErrorNotice } from './error-notice.tsx';

interface NextPageProps {
  readonly list: {
    readonly error: unknown;
    readonly hasNextPage: boolean;
    readonly isFetchNextPageError: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => Promise<unknown>;
  };
  readonly children: ReactNode;
}

export function NextPage({ list, children }: NextPageProps) {
  const read = () => void list.fetchNextPage();
  if (list.isFetchNextPageError) return <ErrorNotice error={list.error} onRetry={read} />;
  if (!list.hasNextPage) return null;
  return (
    <Button
      variant="quiet"
      isBusy={list.isFetchingNextPage}
      onClick={read}
      className="my-2 justify-self-center"
    >
      {children}
    </Button>
  );
}
