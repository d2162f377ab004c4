import type { ProjectRole } from '../../schema/memberships.ts';
import { statement } from '../../statement/statement.ts';
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

export const findEnvTemplate = statement(
  'find_env_template',
  ({ id, userId }: { id: string; userId: string }) => [id, userId],
  ([template]: (Stored<EnvTemplateRow> & SealedVariables & { memberRole: ProjectRole })[]) =>
    template && envTemplateRow(template),
)`
select ${COLUMNS}, ${SEALED_COLUMNS}, membership.role as "memberRole"
from env_templates template
join memberships membership on membership.project_id = template.project_id
where template.id = $1
  and membership.user_id = $2`;

export const listEnvTemplates = statement(
  'list_env_templates',
  ({ projectId, before, limit }: { projectId: string; before: string; limit: number }) => [
    projectId,
    before,
    limit,
  ],
  (rows: Stored<EnvTemplateRow>[]) => rows.map(envTemplateRow),
)`
select ${COLUMNS}
from env_templates template
where template.project_id = $1
  and template.id < $2
-- Ids lie in the order of their creation.
order by template.id desc
limit $3`;

export type ChosenEnvTemplate = Pick<EnvTemplateRow, 'id' | 'name' | 'keys' | 'hosts'>;

/** Returns the template for an agent of the project: the template `id`; without an id the default, or the only one. */
export const chooseEnvTemplate = statement(
  'choose_env_template',
  ({ projectId, id }: { projectId: string; id: string | null }) => [projectId, id],
  ([template]: Stored<ChosenEnvTemplate>[]) => template && envTemplateRow(template),
)`
select template.id, template.name, template.keys, template.hosts
from env_templates template
where template.project_id = $1
  and case
    when $2::uuid is not null then template.id = $2
    else template.is_default
      or (select count(*) from env_templates sibling where sibling.project_id = $1) = 1
  end`;

function envTemplateRow<Row extends Stored<ChosenEnvTemplate>>(
  template: Row,
): Omit<Row, 'hosts'> & Pick<EnvTemplateRow, 'hosts'> {
  return { ...template, hosts: JSON.parse(template.hosts) };
}
