import type { ListedAgentTemplate } from '@session/client';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useRole } from '../../../service/me.ts';
import { isAtLeast } from '../../../service/permissions.ts';
import { useService } from '../../../service/service.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Time } from '../../../ui/time.tsx';
import { roleTitle } from '../../sessions/role-title.ts';
import type { Edited } from '../edited.ts';
import { AgentDrawing } from '../template-drawings.tsx';
import { agentTemplatesQuery } from '../template-queries.ts';
import { DeleteTemplate, TemplateSection } from '../template-section.tsx';

interface AgentListProps {
  readonly projectId: string;
  readonly onEdit: (edited: Edited) => void;
}

export function AgentList({ projectId, onEdit }: AgentListProps) {
  const { client } = useService();
  const query = useQuery(agentTemplatesQuery(client, projectId));
  const mayWrite = isAtLeast(useRole(projectId), 'ADMIN');
  const create = (
    <Button
      icon={<Plus aria-hidden size={16} />}
      onClick={() => onEdit({ kind: 'agent', id: null })}
    >
      New agent
    </Button>
  );
  const text = mayWrite
    ? 'An agent template says who an agent is, how it talks, and which tools it may call.'
    : 'An admin or owner of the project can make one.';
  return (
    <TemplateSection
      id="agents"
      title="Agents"
      query={query}
      create={mayWrite ? create : undefined}
      empty={{ title: 'No agent template yet.', text, drawing: <AgentDrawing /> }}
    >
      {query.data?.map((template) => (
        <AgentRow key={template.id} template={template} mayWrite={mayWrite} onEdit={onEdit} />
      ))}
    </TemplateSection>
  );
}

/** An older API does not name MCP servers. */
type Listed = Omit<ListedAgentTemplate, 'mcpServerNames'> & {
  readonly mcpServerNames?: readonly string[];
};

interface AgentRowProps {
  readonly template: Listed;
  readonly mayWrite: boolean;
  readonly onEdit: (edited: Edited) => void;
}

function AgentRow({ template, mayWrite, onEdit }: AgentRowProps) {
  const { id, name, role, version, toolNames, mcpServerNames = [], updatedAt } = template;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="grid min-w-48 flex-1 gap-0.5">
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="min-w-0 font-medium text-control wrap-anywhere">{name}</span>
          <Badge>{roleTitle(role)}</Badge>
        </span>
        {toolNames.length > 0 ? (
          <span className="font-mono text-ink-3 text-label wrap-anywhere">
            {toolNames.join('  ')}
          </span>
        ) : null}
        {mcpServerNames.length > 0 ? (
          <span className="text-ink-3 text-label wrap-anywhere">
            {mcpServerNames.length === 1 ? 'MCP server ' : 'MCP servers '}
            <span className="font-mono">{mcpServerNames.join('  ')}</span>
          </span>
        ) : null}
        <span className="text-ink-3 text-label">
          Version {version} · Changed <Time at={updatedAt} />
        </span>
      </div>
      {mayWrite ? (
        <div className="flex gap-1">
          <Button size="small" onClick={() => onEdit({ kind: 'agent', id })}>
            Edit<span className="sr-only"> {name}</span>
          </Button>
          <DeleteAgentTemplate template={template} />
        </div>
      ) : null}
    </li>
  );
}

function DeleteAgentTemplate({ template }: Pick<AgentRowProps, 'template'>) {
  const { id, projectId, name } = template;
  const { client, queries } = useService();
  return (
    <DeleteTemplate
      name={name}
      description="Its versions are gone for good. While agents run with it, it cannot be deleted."
      onDelete={async () => {
        await client.agentTemplates.delete(id);
        void queries.invalidateQueries({ queryKey: ['project', projectId, 'agent-templates'] });
      }}
    />
  );
}
