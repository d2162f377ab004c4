import { type ReactNode, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { ListSkeleton, SectionHeader } from './section-header.tsx';

interface TemplateSectionProps {
  readonly id: string;
  readonly title: string;
  /** What was read of the project. */
  readonly query: {
    readonly data: readonly unknown[] | undefined;
    readonly error: unknown;
    readonly refetch: () => unknown;
  };
  /** Makes the first or another template; undefined where the user's role may not. */
  readonly create: ReactNode;
  /** Other buttons. */
  readonly tools?: ReactNode;
  /** The rows of the templates. */
  readonly children: ReactNode;
  /** What stands there while there is no template. */
  readonly empty: { readonly title: string; readonly text: string; readonly drawing: ReactNode };
}

/** The templates of one kind in a project. */
export function TemplateSection(props: TemplateSectionProps) {
  const { id, title, query, create, tools, children, empty } = props;
  const { data, error, refetch } = query;
  return (
    <section aria-labelledby={id} className="grid gap-3">
      <SectionHeader id={id} title={title}>
        {data ? tools : null}
        {data && data.length > 0 ? create : null}
      </SectionHeader>
      {error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : null}
      {data || error ? null : <ListSkeleton label={title} />}
      {data?.length === 0 ? (
        <EmptyState title={empty.title} drawing={empty.drawing} action={create}>
          {empty.text}
        </EmptyState>
      ) : null}
      {data && data.length > 0 ? (
        <ul className="divide-y divide-line rounded-card border border-line bg-surface">
          {children}
        </ul>
      ) : null}
    </section>
  );
}

interface DeleteTemplateProps {
  readonly name: string;
  /** What is lost with it. */
  readonly description: string;
  readonly onDelete: () => Promise<unknown>;
}

/** Deletes a template, after a question. */
export function DeleteTemplate({ name, description, onDelete }: DeleteTemplateProps) {
  const [isAsking, setAsking] = useState(false);
  const remove = async () => {
    await onDelete();
    toast(`“${name}” was deleted.`);
  };
  return (
    <>
      <Button size="small" variant="quiet" onClick={() => setAsking(true)}>
        Delete<span className="sr-only"> {name}</span>
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={`Delete “${name}”?`}
        description={description}
        confirmLabel="Delete"
        onConfirm={remove}
      />
    </>
  );
}
