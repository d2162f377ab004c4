import type { EnvTemplate } from '@session/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useRole } from '../../service/me.ts';
import { isAtLeast } from '../../service/permissions.ts';
import { useService } from '../../service/service.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.tsx';
import type { Edited } from './edited.ts';
import { ListSkeleton, SectionHeader } from './section-header.tsx';
import { KeysDrawing } from './template-drawings.tsx';
import { envTemplatesQuery } from './template-queries.ts';

interface EnvListProps {
  readonly projectId: string;
  readonly onEdit: (edited: Edited) => void;
}

/** The environment templates of a project. */
export function EnvList({ projectId, onEdit }: EnvListProps) {
  const { client } = useService();
  const { data, error, refetch } = useQuery(envTemplatesQuery(client, projectId));
  const mayWrite = isAtLeast(useRole(projectId), 'ADMIN');
  const create = (
    <Button
      icon={<Plus aria-hidden size={16} />}
      onClick={() => onEdit({ kind: 'environment', template: null })}
    >
      New environment
    </Button>
  );
  return (
    <section aria-labelledby="environments" className="grid gap-3">
      <SectionHeader id="environments" title="Environments">
        {mayWrite && data && data.length > 0 ? create : null}
      </SectionHeader>
      {error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : null}
      {data || error ? null : <ListSkeleton label="Environments" />}
      {data?.length === 0 ? (
        <EmptyState
          title="No environment yet."
          drawing={<KeysDrawing />}
          action={mayWrite ? create : undefined}
        >
          {mayWrite
            ? 'An environment holds the keys and settings of agents that think. The echo agent needs none.'
            : 'An admin or owner of the project can make one. The echo agent needs none.'}
        </EmptyState>
      ) : null}
      {data && data.length > 0 ? (
        <ul className="divide-y divide-line rounded-card border border-line bg-surface">
          {data.map((template) => (
            <EnvRow key={template.id} template={template} mayWrite={mayWrite} onEdit={onEdit} />
          ))}
        </ul>
      ) : null}
    </section>
  );
}

interface EnvRowProps {
  readonly template: EnvTemplate;
  readonly mayWrite: boolean;
  readonly onEdit: (edited: Edited) => void;
}

function EnvRow({ template, mayWrite, onEdit }: EnvRowProps) {
  const { name, keys, isDefault, updatedAt } = template;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="grid min-w-48 flex-1 gap-0.5">
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="min-w-0 font-medium text-control wrap-anywhere">{name}</span>
          {isDefault ? <Badge tone="iris">Default</Badge> : null}
        </span>
        <span className="font-mono text-ink-3 text-label wrap-anywhere">{keys.join('  ')}</span>
        <span className="text-ink-3 text-label">
          Changed <Time at={updatedAt} />
        </span>
      </div>
      {mayWrite ? (
        <div className="flex gap-1">
          <Button size="small" onClick={() => onEdit({ kind: 'environment', template })}>
            Edit<span className="sr-only"> {name}</span>
          </Button>
          <DeleteEnv template={template} />
        </div>
      ) : null}
    </li>
  );
}

function DeleteEnv({ template: { id, projectId, name } }: { readonly template: EnvTemplate }) {
  const { client } = useService();
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const remove = async () => {
    await client.envTemplates.delete(id);
    toast(`“${name}” was deleted.`);
    void queries.invalidateQueries({ queryKey: ['project', projectId, 'env-templates'] });
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
        description="Its values are gone for good. Agents that run keep what they were started with."
        confirmLabel="Delete"
        onConfirm={remove}
      />
    </>
  );
}
