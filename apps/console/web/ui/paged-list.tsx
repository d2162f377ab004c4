import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { CardList } from './card-list.tsx';
import { Dimmed } from './dimmed.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { Loaded } from './loaded.tsx';
import { CardSkeleton } from './skeleton.tsx';

type PagedQuery<Item> = UseInfiniteQueryResult<InfiniteData<{ readonly items: readonly Item[] }>>;

interface PagedListProps<Item> {
  readonly list: PagedQuery<Item>;
  readonly label: string;
  readonly notice?: ReactNode;
  readonly empty: ReactNode;
  readonly children: (item: Item) => ReactNode;
}

/** A list with a button that reads the next page. A page may have no rows if the API only searched a part. */
export function PagedList<Item>({ list, label, notice, empty, children }: PagedListProps<Item>) {
  const { data, error, errorUpdatedAt, isFetching, refetch } = list;
  const { isPlaceholderData, hasNextPage } = list;
  const items = data?.pages.flatMap((page) => page.items);
  return (
    <Loaded
      query={{ data: items, error, errorUpdatedAt, isFetching, refetch }}
      label={label}
      skeleton={<CardSkeleton rows={3} />}
      isQuiet
    >
      {(shown) => (
        <Dimmed isDimmed={isPlaceholderData}>
          {notice}
          {shown.length > 0 ? (
            <CardList as="ol" label={label}>
              {shown.map(children)}
            </CardList>
          ) : null}
          {shown.length === 0 && !hasNextPage ? empty : null}
          {shown.length === 0 && hasNextPage ? (
            <p className="justify-self-center text-control text-ink-2">Nothing found yet.</p>
          ) : null}
          <NextPage
            list={list}
            label={`${shown.length === 0 ? 'Look at' : 'Show'} earlier ${label.toLowerCase()}`}
          />
        </Dimmed>
      )}
    </Loaded>
  );
}

function NextPage<Item>({ list, label }: Pick<PagedListProps<Item>, 'list' | 'label'>) {
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
      {label}
    </Button>
  );
}
