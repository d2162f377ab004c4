import { isoFromText } from '../../columns/iso-time.ts';
import type { ProjectRole } from '../../schema/memberships.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { type Hosts, SEALED_COLUMNS, type SealedVariables } from './sealed-templates.ts';

export interface EnvTemplateRow {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly keys: readonly string[];
  readonly hosts: Hosts;
  readonly isDefault: boolean;
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

type Stored<Row extends Pick<EnvTemplateRow, 'hosts'>> = Omit<Row, 'hosts'> & {
  readonly hosts: string;
};

const COLUMNS = `
  template.id,
  template.project_id as "projectId",
  template.name,
  template.keys,
  template.hosts,
  template.is_default as "isDefault",
  template.version,
  template.created_at as "createdAt",
  template.updated_at as "updatedAt"`;

export const FIND_ENV_TEMPLATE = statement<
  [id: string, userId: string],
  Stored<EnvTemplateRow> & SealedVariables & { memberRole: ProjectRole }
>(
  'find_env_template',
  `
select ${COLUMNS}, ${SEALED_COLUMNS}, membership.role as "memberRole"
from env_templates template
join memberships membership on membership.project_id = template.project_id
where template.id = $1
  and membership.user_id = $2`,
);

/** Returns a template and the user's role in its project, or undefined: unknown and foreign ones look the same. */
export async function findEnvTemplate(
  database: DatabaseAccess,
  { id, userId }: { id: string; userId: string },
): Promise<(EnvTemplateRow & SealedVariables & { memberRole: ProjectRole }) | undefined> {
  const [template] = await FIND_ENV_TEMPLATE.run(database, id, userId);
  return template && envTemplateRow(template);
}

export const LIST_ENV_TEMPLATES = statement<
  [projectId: string, before: string, limit: number],
  Stored<EnvTemplateRow>
>(
  'list_env_templates',
  `
select ${COLUMNS}
from env_templates template
where template.project_id = $1
  and template.id < $2
-- Ids lie in the order of their creation.
order by template.id desc
limit $3`,
);

/** Returns up to `limit` templates, the newest first, after the template `before` (at first the greatest UUID). */
export async function listEnvTemplates(
  database: DatabaseAccess,
  { projectId, before, limit }: { projectId: string; before: string; limit: number },
): Promise<EnvTemplateRow[]> {
  return (await LIST_ENV_TEMPLATES.run(database, projectId, before, limit)).map(envTemplateRow);
}

export type ChosenEnvTemplate = Pick<EnvTemplateRow, 'id' | 'name' | 'keys' | 'hosts'>;

export const CHOOSE_ENV_TEMPLATE = statement<
  [projectId: string, id: string | null],
  Stored<ChosenEnvTemplate>
>(
  'choose_env_template',
  `
select template.id, template.name, template.keys, template.hosts
from env_templates template
where template.project_id = $1
  and case
    when $2::uuid is not null then template.id = $2
    else template.is_default
      or (select count(*) from env_templates sibling where sibling.project_id = $1) = 1
  end`,
);

/** Returns the template for an agent of the project: the template `id`, or without an id the default, or the only one. */
export async function chooseEnvTemplate(
  database: DatabaseAccess,
  { projectId, id }: { projectId: string; id: string | null },
): Promise<ChosenEnvTemplate | undefined> {
  const [template] = await CHOOSE_ENV_TEMPLATE.run(database, projectId, id);
  return template && { ...template, hosts: JSON.parse(template.hosts) };
}

function envTemplateRow<Row extends Stored<EnvTemplateRow>>(
  template: Row,
): Omit<Row, 'hosts'> & Pick<EnvTemplateRow, 'hosts'> {
  const createdAt = isoFromText(template.createdAt);
  const hosts: Hosts = JSON.parse(template.hosts);
  return { ...template, hosts, createdAt, updatedAt: isoFromText(template.updatedAt) };
}
