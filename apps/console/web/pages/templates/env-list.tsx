import type { EnvTemplate } from '@session/contract';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useRole } from '../../service/me.ts';
import { isAtLeast } from '../../service/permissions.ts';
import { useService } from '../../service/service.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Time } from '../../ui/time.tsx';
import type { Edited } from './edited.ts';
import { KeysDrawing } from './template-drawings.tsx';
import { envTemplatesQuery } from './template-queries.ts';
import { DeleteTemplate, TemplateSection } from './template-section.tsx';

interface EnvListProps {
  readonly projectId: string;
  readonly onEdit: (edited: Edited) => void;
}

export function EnvList({ projectId, onEdit }: EnvListProps) {
  const { client } = useService();
  const query = useQuery(envTemplatesQuery(client, projectId));
  const mayWrite = isAtLeast(useRole(projectId), 'ADMIN');
  const create = (
    <Button
      icon={<Plus aria-hidden size={16} />}
      onClick={() => onEdit({ kind: 'environment', id: null })}
    >
      New environment
    </Button>
  );
  const text = mayWrite
    ? 'An environment holds the keys and settings of agents that think. The echo agent needs none.'
    : 'An admin or owner of the project can make one. The echo agent needs none.';
  return (
    <TemplateSection
      id="environments"
      title="Environments"
      query={query}
      create={mayWrite ? create : undefined}
      empty={{ title: 'No environment yet.', text, drawing: <KeysDrawing /> }}
    >
      {query.data?.map((template) => (
        <EnvRow key={template.id} template={template} mayWrite={mayWrite} onEdit={onEdit} />
      ))}
    </TemplateSection>
  );
}

interface EnvRowProps {
  readonly template: EnvTemplate;
  readonly mayWrite: boolean;
  readonly onEdit: (edited: Edited) => void;
}

function EnvRow({ template, mayWrite, onEdit }: EnvRowProps) {
  const { id, name, keys, isDefault, updatedAt } = template;
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
          <Button size="small" onClick={() => onEdit({ kind: 'environment', id })}>
            Edit<span className="sr-only"> {name}</span>
          </Button>
          <DeleteEnv template={template} />
        </div>
      ) : null}
    </li>
  );
}

function DeleteEnv({ template: { id, projectId, name } }: { readonly template: EnvTemplate }) {
  const { client, queries } = useService();
  return (
    <DeleteTemplate
      name={name}
      description="Its values are gone for good. Agents that run keep what they were started with."
      onDelete={async () => {
        await client.envTemplates.delete(id);
        void queries.invalidateQueries({ queryKey: ['project', projectId, 'env-templates'] });
      }}
    />
  );
}
