import { allRows } from '../../statement/rows.ts';
import { statement } from '../../statement/statement.ts';

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

/** Returns up to `limit` versions before the version `before`, the newest first, without a check of membership. */
export const listAgentTemplateVersions = statement(
  'list_agent_template_versions',
  ({ templateId, before, limit }: { templateId: string; before: number; limit: number }) => [
    templateId,
    before,
    limit,
  ],
  allRows<ListedVersionRow>,
)`
select ${COLUMNS}
from agent_template_versions version
where version.template_id = $1
  and version.version < $2
order by version.version desc
limit $3`;

/** Returns a version (null: the newest), without a check of membership; undefined when it is not kept. */
export const findAgentTemplateVersion = statement(
  'find_agent_template_version',
  (key: { projectId: string; templateId: string; version: number | null }) => [
    key.projectId,
    key.templateId,
    key.version,
  ],
  ([found]: StoredVersion[]) => found && versionRow(found),
)`
select ${COLUMNS}, version.definition
from agent_templates template
join agent_template_versions version
  on version.template_id = template.id and version.version = coalesce($3, template.version)
where template.id = $2
  and template.project_id = $1`;

interface VersionOfAgent {
  readonly name: string;
  readonly definition: unknown;
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * Returns the name and the definition with which an agent runs, and its variables; undefined when it has no template, or the
 * template is deleted.
 */
export const readVersionOfAgent = statement(
  'read_version_of_agent',
  (agentId: string) => [agentId],
  ([found]: {
    readonly name: string;
    readonly definition: string;
    readonly variables: string;
  }[]): VersionOfAgent | undefined => {
    if (!found) return undefined;
    const { name, definition, variables } = found;
    return { name, definition: JSON.parse(definition), variables: JSON.parse(variables) };
  },
)`
select version.name, version.definition, agent.variables
from agents agent
join agent_template_versions version
  on version.template_id = agent.agent_template_id and version.version = agent.agent_template_version
where agent.id = $1`;

function versionRow({ definition, ...row }: StoredVersion): AgentTemplateVersionRow {
  return { ...row, definition: JSON.parse(definition) };
}
