import type { ProjectRole } from '../../schema/memberships.ts';
import { allRows } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';

interface AgentTemplateHead {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly role: string;
  readonly version: number;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly updatedBy: string;
  readonly updatedAt: string;
}

export interface AgentTemplateRow extends AgentTemplateHead {
  readonly definition: unknown;
}

export interface ListedAgentTemplateRow extends AgentTemplateHead {
  readonly toolNames: readonly string[];
  readonly mcpServerNames: readonly string[];
}

const COLUMNS = `
  template.id,
  template.project_id as "projectId",
  template.name,
  template.role,
  template.version,
  template.created_by as "createdBy",
  template.created_at as "createdAt",
  template.updated_by as "updatedBy",
  template.updated_at as "updatedAt"`;

type FoundTemplate = AgentTemplateHead & {
  readonly definition: string;
  readonly memberRole: ProjectRole;
};

export const findAgentTemplate = statement(
  'find_agent_template',
  ({ id, userId }: { id: string; userId: string }) => [id, userId],
  ([template]: FoundTemplate[]): (AgentTemplateRow & { memberRole: ProjectRole }) | undefined =>
    template && { ...template, definition: JSON.parse(template.definition) },
)`
select ${COLUMNS}, template.definition, membership.role as "memberRole"
from agent_templates template
join memberships membership on membership.project_id = template.project_id
where template.id = $1
  and membership.user_id = $2`;

export const listAgentTemplates = statement(
  'list_agent_templates',
  ({ projectId, before, limit }: { projectId: string; before: string; limit: number }) => [
    projectId,
    before,
    limit,
  ],
  allRows<ListedAgentTemplateRow>,
)`
select ${COLUMNS},
  array(
    select tool ->> 'name' from jsonb_array_elements(template.definition -> 'tools') tool
  ) as "toolNames",
  -- A definition that an earlier release stored has none.
  array(
    select server ->> 'name' from jsonb_array_elements(template.definition -> 'mcpServers') server
  ) as "mcpServerNames"
from agent_templates template
where template.project_id = $1
  and template.id < $2
-- Ids lie in the order of their creation.
order by template.id desc
limit $3`;
