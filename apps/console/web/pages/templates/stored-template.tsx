import type { UseQueryResult } from '@tanstack/react-query';
import { Fragment, type ReactNode, useState } from 'react';
import { isMissing } from '../../service/service.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';

interface StoredTemplateProps<Template> {
  readonly title: string;
  readonly isNew: boolean;
  readonly query: UseQueryResult<Template>;
  readonly onClose: () => void;
  /**
   * Returns the form for a template; null stands for a new template. The form must keep the template that it had first.
   */
  readonly children: (template: Template | null, onReadAgain: () => void) => ReactNode;
}

/** Reads a template before its form is shown, because a list that was read earlier may have another version. */
export function StoredTemplate<Template>(props: StoredTemplateProps<Template>) {
  const { title, isNew, query, onClose, children } = props;
  const [read, setRead] = useState(0);
  const readAgain = async () => {
    const { isSuccess } = await query.refetch();
    if (isSuccess) setRead(read + 1);
  };
  if (isNew || query.data !== undefined) {
    return <Fragment key={read}>{children(query.data ?? null, () => void readAgain())}</Fragment>;
  }
  return (
    <Page>
      <h1 className="sr-only">{title}</h1>
      {isMissing(query.error) ? (
        <EmptyState
          title="This template is gone."
          action={<Button onClick={onClose}>Templates</Button>}
        >
          Somebody has deleted it.
        </EmptyState>
      ) : (
        <>
          <Button onClick={onClose}>Templates</Button>
          <Loaded
            query={query}
            label="The template"
            skeleton={<Skeleton className="h-60 w-full" />}
          >
            {() => null}
          </Loaded>
        </>
      )}
    </Page>
  );
}
