import type { EnvTemplate } from '@session/contract';
import { useQuery } from '@tanstack/react-query';
import { useRole } from '../../service/me.ts';
import { isAtLeast } from '../../service/permissions.ts';
import { useService } from '../../service/service.ts';
import { Badge } from '../../ui/badge.tsx';
import type { Edited } from './edited.ts';
import { KeysDrawing } from './template-drawings.tsx';
import { envTemplatesQuery } from './template-queries.ts';
import { TemplateRow, TemplateSection } from './template-section.tsx';

interface EnvListProps {
  readonly projectId: string;
  readonly onEdit: (edited: Edited) => void;
}

export function EnvList({ projectId, onEdit }: EnvListProps) {
  const { client } = useService();
  const query = useQuery(envTemplatesQuery(client, projectId));
  const mayWrite = isAtLeast(useRole(projectId), 'ADMIN');
  return (
    <TemplateSection
      id="environments"
      title="Environments"
      query={query}
      mayWrite={mayWrite}
      newLabel="New environment"
      onNew={() => onEdit({ kind: 'environment', id: null })}
      empty={{
        title: 'No environment yet.',
        text: 'An environment holds the keys and settings of agents that think.',
        drawing: <KeysDrawing />,
      }}
      note="The echo agent needs none."
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
  const { id, keys, isDefault } = template;
  return (
    <TemplateRow
      kind="env"
      template={template}
      mayWrite={mayWrite}
      onEdit={() => onEdit({ kind: 'environment', id })}
      deletion="Its values are gone for good. Agents that run keep what they were started with."
      badge={isDefault ? <Badge tone="iris">Default</Badge> : null}
    >
      <span className="font-mono text-ink-3 text-label wrap-anywhere">{keys.join('  ')}</span>
    </TemplateRow>
  );
}
