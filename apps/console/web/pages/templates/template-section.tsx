import type { ReactNode } from 'react';
import { CardList } from '../../ui/card-list.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { toast } from '../../ui/toast.tsx';

interface TemplateSectionProps {
  readonly id: string;
  readonly title: string;
  readonly query: {
    readonly data: readonly unknown[] | undefined;
    readonly error: unknown;
    readonly errorUpdatedAt: number;
    readonly isFetching: boolean;
    readonly refetch: () => unknown;
  };
  /** The button that creates a template; undefined where the user's role may not. */
  readonly create: ReactNode;
  readonly tools?: ReactNode;
  readonly children: ReactNode;
  readonly empty: { readonly title: string; readonly text: string; readonly drawing: ReactNode };
}

export function TemplateSection(props: TemplateSectionProps) {
  const { id, title, query, create, tools, children, empty } = props;
  return (
    <section aria-labelledby={id} className="grid gap-3">
      <div className="flex min-h-9 flex-wrap items-center justify-between gap-2">
        <h2 id={id} className="font-strong text-title">
          {title}
        </h2>
        <div className="flex flex-wrap gap-2">
          {query.data ? tools : null}
          {query.data && query.data.length > 0 ? create : null}
        </div>
      </div>
      <Loaded query={query} label={title} skeleton={<Skeletons />}>
        {({ length }) =>
          length === 0 ? (
            <EmptyState title={empty.title} drawing={empty.drawing} action={create}>
              {empty.text}
            </EmptyState>
          ) : (
            <CardList>{children}</CardList>
          )
        }
      </Loaded>
    </section>
  );
}

function Skeletons() {
  return (
    <div className="grid gap-3 rounded-card border border-line bg-surface p-4">
      <Skeleton className="h-5 w-40" />
      <Skeleton className="h-4 w-full" />
    </div>
  );
}

interface DeleteTemplateProps {
  readonly name: string;
  readonly description: string;
  readonly onDelete: () => Promise<unknown>;
}

export function DeleteTemplate({ name, description, onDelete }: DeleteTemplateProps) {
  const remove = async () => {
    await onDelete();
    toast(`“${name}” was deleted.`);
  };
  return (
    <ConfirmButton
      subject={name}
      title={`Delete “${name}”?`}
      description={description}
      confirmLabel="Delete"
      onConfirm={remove}
    />
  );
}
