import type { ListedAgentTemplate } from '@session/client';
import { useQuery } from '@tanstack/react-query';
import { useRole } from '../../../service/me.ts';
import { isAtLeast } from '../../../service/permissions.ts';
import { useService } from '../../../service/service.ts';
import { Badge } from '../../../ui/badge.tsx';
import { roleTitle } from '../../sessions/role-title.ts';
import type { Edited } from '../edited.ts';
import { AgentDrawing } from '../template-drawings.tsx';
import { agentTemplatesQuery } from '../template-queries.ts';
import { TemplateRow, TemplateSection } from '../template-section.tsx';

interface AgentListProps {
  readonly projectId: string;
  readonly onEdit: (edited: Edited) => void;
}

export function AgentList({ projectId, onEdit }: AgentListProps) {
  const { client } = useService();
  const query = useQuery(agentTemplatesQuery(client, projectId));
  const mayWrite = isAtLeast(useRole(projectId), 'ADMIN');
  return (
    <TemplateSection
      id="agents"
      title="Agents"
      query={query}
      mayWrite={mayWrite}
      newLabel="New agent"
      onNew={() => onEdit({ kind: 'agent', id: null })}
      empty={{
        title: 'No agent template yet.',
        text: 'An agent template says who an agent is, how it talks, and which tools it may call.',
        drawing: <AgentDrawing />,
      }}
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
  const { id, role, version, toolNames, mcpServerNames = [] } = template;
  return (
    <TemplateRow
      kind="agent"
      template={template}
      mayWrite={mayWrite}
      onEdit={() => onEdit({ kind: 'agent', id })}
      deletion="Its versions are gone for good. While agents run with it, it cannot be deleted."
      badge={<Badge>{roleTitle(role)}</Badge>}
      version={version}
    >
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
    </TemplateRow>
  );
}
