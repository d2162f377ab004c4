import { isoFromText } from '../../columns/iso-time.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';

export interface ListedVersionRow {
  readonly version: number;
  readonly name: string;
  readonly role: string;
  readonly createdBy: string;
  readonly createdAt: string;
}

export interface AgentTemplateVersionRow extends ListedVersionRow {
  readonly definition: unknown;
}

const COLUMNS = `
  version.version,
  version.name,
  version.role,
  version.created_by as "createdBy",
  version.created_at as "createdAt"`;

type StoredVersion = ListedVersionRow & { readonly definition: string };

export const LIST_AGENT_TEMPLATE_VERSIONS = statement<
  [templateId: string, before: number, limit: number],
  ListedVersionRow
>(
  'list_agent_template_versions',
  `
select ${COLUMNS}
from agent_template_versions version
where version.template_id = $1
  and version.version < $2
order by version.version desc
limit $3`,
);

/** Returns up to `limit` versions before the version `before`, the newest first, without a check of membership. */
export async function listAgentTemplateVersions(
  database: DatabaseAccess,
  { templateId, before, limit }: { templateId: string; before: number; limit: number },
): Promise<ListedVersionRow[]> {
  const rows = await LIST_AGENT_TEMPLATE_VERSIONS.run(database, templateId, before, limit);
  return rows.map((row) => ({ ...row, createdAt: isoFromText(row.createdAt) }));
}

export const FIND_AGENT_TEMPLATE_VERSION = statement<
  [projectId: string, templateId: string, version: number | null],
  StoredVersion
>(
  'find_agent_template_version',
  `
select ${COLUMNS}, version.definition
from agent_templates template
join agent_template_versions version
  on version.template_id = template.id and version.version = coalesce($3, template.version)
where template.id = $2
  and template.project_id = $1`,
);

/** Returns a version, with null the newest, without a check of membership; undefined when it is not kept. */
export async function findAgentTemplateVersion(
  database: DatabaseAccess,
  key: { projectId: string; templateId: string; version: number | null },
): Promise<AgentTemplateVersionRow | undefined> {
  const { projectId, templateId, version } = key;
  const [found] = await FIND_AGENT_TEMPLATE_VERSION.run(database, projectId, templateId, version);
  return found && versionRow(found);
}

export const READ_VERSION_OF_AGENT = statement<
  [agentId: string],
  { readonly name: string; readonly definition: string; readonly variables: string }
>(
  'read_version_of_agent',
  `
select version.name, version.definition, agent.variables
from agents agent
join agent_template_versions version
  on version.template_id = agent.agent_template_id and version.version = agent.agent_template_version
where agent.id = $1`,
);

/** Returns the name and the definition with which an agent runs, and its variables; undefined when it has none, or it is deleted. */
export async function readVersionOfAgent(
  database: DatabaseAccess,
  agentId: string,
): Promise<
  { name: string; definition: unknown; variables: Readonly<Record<string, string>> } | undefined
> {
  const [found] = await READ_VERSION_OF_AGENT.run(database, agentId);
  if (!found) return undefined;
  const { name, definition, variables } = found;
  return { name, definition: JSON.parse(definition), variables: JSON.parse(variables) };
}

function versionRow({ definition, ...row }: StoredVersion): AgentTemplateVersionRow {
  return { ...row, createdAt: isoFromText(row.createdAt), definition: JSON.parse(definition) };
}
