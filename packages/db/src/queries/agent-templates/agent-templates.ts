import { isoFromText } from '../../columns/iso-time.ts';
import type { ProjectRole } from '../../schema/memberships.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';

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

export const FIND_AGENT_TEMPLATE = statement<[id: string, userId: string], FoundTemplate>(
  'find_agent_template',
  `
select ${COLUMNS}, template.definition, membership.role as "memberRole"
from agent_templates template
join memberships membership on membership.project_id = template.project_id
where template.id = $1
  and membership.user_id = $2`,
);

/** Returns an agent template and the user's role in its project, or undefined: unknown and foreign ones look the same. */
export async function findAgentTemplate(
  database: DatabaseAccess,
  { id, userId }: { id: string; userId: string },
): Promise<(AgentTemplateRow & { memberRole: ProjectRole }) | undefined> {
  const [template] = await FIND_AGENT_TEMPLATE.run(database, id, userId);
  return template && { ...withIsoTimes(template), definition: JSON.parse(template.definition) };
}

export const LIST_AGENT_TEMPLATES = statement<
  [projectId: string, before: string, limit: number],
  ListedAgentTemplateRow
>(
  'list_agent_templates',
  `
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
limit $3`,
);

/** Returns up to `limit` agent templates, the newest first, after the template `before` (at first the greatest UUID). */
export async function listAgentTemplates(
  database: DatabaseAccess,
  { projectId, before, limit }: { projectId: string; before: string; limit: number },
): Promise<ListedAgentTemplateRow[]> {
  return (await LIST_AGENT_TEMPLATES.run(database, projectId, before, limit)).map(withIsoTimes);
}

function withIsoTimes<Template extends AgentTemplateHead>(template: Template): Template {
  const createdAt = isoFromText(template.createdAt);
  return { ...template, createdAt, updatedAt: isoFromText(template.updatedAt) };
}
