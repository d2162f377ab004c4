import type { PlanTemplate } from '@session/contract';
import { Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { refreshProjectList } from '../../service/queries.ts';
import { useService } from '../../service/service.ts';
import { Button } from '../../ui/button.tsx';
import { CardList } from '../../ui/card-list.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import type { TemplateKind } from './template-queries.ts';

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
  readonly mayWrite: boolean;
  readonly newLabel: string;
  readonly onNew: () => void;
  readonly tools?: ReactNode;
  readonly children: ReactNode;
  readonly empty: { readonly title: string; readonly text: string; readonly drawing: ReactNode };
  /** Follows the text of an empty list, whatever the user's role is. */
  readonly note?: string;
}

export function TemplateSection(props: TemplateSectionProps) {
  const { id, title, query, mayWrite, newLabel, onNew, tools, children, empty, note } = props;
  const create = mayWrite ? (
    <Button icon={<Plus aria-hidden size={16} />} onClick={onNew}>
      {newLabel}
    </Button>
  ) : undefined;
  const text = mayWrite ? empty.text : 'An admin or owner of the project can make one.';
  return (
    <section aria-labelledby={id} className="grid gap-3">
      <div className="flex min-h-9 flex-wrap items-center justify-between gap-2">
        <h2 id={id} className="font-strong text-title">
          {title}
        </h2>
        <div className="flex flex-wrap gap-2">
          {query.data && mayWrite ? tools : null}
          {query.data && query.data.length > 0 ? create : null}
        </div>
      </div>
      <Loaded query={query} label={title} skeleton={<Skeletons />}>
        {({ length }) =>
          length === 0 ? (
            <EmptyState title={empty.title} drawing={empty.drawing} action={create}>
              {note ? `${text} ${note}` : text}
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

interface TemplateRowProps {
  readonly kind: TemplateKind;
  readonly template: Pick<PlanTemplate, 'id' | 'projectId' | 'name' | 'updatedAt'>;
  readonly mayWrite: boolean;
  readonly onEdit: () => void;
  /** The text of the dialog that asks before the template is deleted. */
  readonly deletion: string;
  readonly badge?: ReactNode;
  readonly version?: number;
  /** Shown to every role. */
  readonly tools?: ReactNode;
  readonly children: ReactNode;
}

export function TemplateRow(props: TemplateRowProps) {
  const { kind, template, mayWrite, onEdit, deletion, badge, version, tools, children } = props;
  const { name, updatedAt } = template;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="grid min-w-48 flex-1 gap-0.5">
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="min-w-0 font-medium text-control wrap-anywhere">{name}</span>
          {badge}
        </span>
        {children}
        <span className="text-ink-3 text-label">
          {version === undefined ? null : `Version ${version} · `}
          Changed <Time at={updatedAt} />
        </span>
      </div>
      {mayWrite || tools ? (
        <div className="flex gap-1">
          {tools}
          {mayWrite ? (
            <>
              <Button size="small" onClick={onEdit}>
                Edit<span className="sr-only"> {name}</span>
              </Button>
              <DeleteTemplate kind={kind} template={template} description={deletion} />
            </>
          ) : null}
        </div>
      ) : null}
    </li>
  );
}

interface DeleteTemplateProps extends Pick<TemplateRowProps, 'kind' | 'template'> {
  readonly description: string;
}

function DeleteTemplate({ kind, template, description }: DeleteTemplateProps) {
  const { client, queries } = useService();
  const { id, projectId, name } = template;
  const templates = {
    agent: client.agentTemplates,
    env: client.envTemplates,
    plan: client.planTemplates,
  }[kind];
  const remove = async () => {
    await templates.delete(id);
    void refreshProjectList(queries, projectId, `${kind}-templates`);
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
