import { hasRows, nothing } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import {
  changeTemplates,
  type ExceededLimit,
  LOCK_PROJECT,
  type TemplateLimits,
} from '../accounts/account-limits.ts';
import { auditText } from '../operations/audit-events.ts';
import type { Hosts, SealedVariables } from './sealed-templates.ts';

export interface EnvTemplateContent extends SealedVariables {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly keys: readonly string[];
  readonly isDefault: boolean;
  readonly hosts?: Hosts | undefined;
  readonly by?: string | undefined;
}

export const UNSET_DEFAULT_TEMPLATE = statement(
  'unset_default_template',
  (projectId: string, exceptId: string) => [projectId, exceptId],
  nothing,
)`
update env_templates set
  is_default = false,
  version = version + 1,
  updated_at = now()
where project_id = $1
  and is_default
  and id <> $2`;

export const FIND_NAMESAKES = statement(
  'find_namesakes',
  (projectId: string, name: string, exceptId: string) => [projectId, name, exceptId],
  hasRows,
)`
select from env_templates where project_id = $1 and name = $2 and id <> $3`;

export const LOCK_TEMPLATE_VERSION = statement(
  'lock_template_version',
  (id: string, version: number) => [id, version],
  hasRows,
)`
select from env_templates where id = $1 and version = $2 for update`;

const AUDITED = {
  project: 'project_id',
  target: 'id',
  detail: `jsonb_build_object('name', name)`,
} as const;

export const INSERT_ENV_TEMPLATE = statement('insert_env_template', parametersOf, nothing)`
with inserted as (
  insert into env_templates (id, project_id, name, keys, key_id, nonce, ciphertext, is_default, hosts)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $10::text::jsonb)
  returning id, project_id, name
), audited as (${auditText('env_template.created', { ...AUDITED, actor: '$9', from: 'inserted' })}
)
select from inserted`;

export async function insertEnvTemplate(
  database: DatabaseAccess,
  template: EnvTemplateContent,
  limits?: TemplateLimits,
): Promise<'inserted' | 'name_taken' | ExceededLimit> {
  return await changeTemplates(database, template.projectId, limits, async (transaction) => {
    if (await isNameTaken(transaction, template)) return 'name_taken';
    if (template.isDefault) {
      await UNSET_DEFAULT_TEMPLATE(transaction, template.projectId, template.id);
    }
    await INSERT_ENV_TEMPLATE(transaction, template);
    return 'inserted';
  });
}

export const UPDATE_ENV_TEMPLATE = statement('update_env_template', parametersOf, nothing)`
with changed as (
  update env_templates set
    name = $3,
    keys = $4,
    key_id = $5,
    nonce = $6,
    ciphertext = $7,
    is_default = $8,
    hosts = $10::text::jsonb,
    version = version + 1,
    updated_at = now()
  where id = $1
    and project_id = $2
  returning id, project_id, name
), audited as (${auditText('env_template.changed', { ...AUDITED, actor: '$9', from: 'changed' })}
)
select from changed`;

export async function updateEnvTemplate(
  database: DatabaseAccess,
  template: EnvTemplateContent & { readonly version: number },
  limits?: TemplateLimits,
): Promise<'updated' | 'name_taken' | 'changed' | ExceededLimit> {
  return await changeTemplates(database, template.projectId, limits, async (transaction) => {
    if (await isNameTaken(transaction, template)) return 'name_taken';
    const locked = await LOCK_TEMPLATE_VERSION(transaction, template.id, template.version);
    if (!locked) return 'changed';
    if (template.isDefault) {
      await UNSET_DEFAULT_TEMPLATE(transaction, template.projectId, template.id);
    }
    await UPDATE_ENV_TEMPLATE(transaction, template);
    return 'updated';
  });
}

export const deleteEnvTemplate = statement(
  'delete_env_template',
  ({ id, projectId }: { id: string; projectId: string }, by: string) => [id, projectId, by],
  nothing,
)`
with project as (
  select id from projects where id = $2 and deleted_at is null for key share
), deleted as (
  delete from env_templates template using project
  where template.id = $1 and template.project_id = project.id
  returning template.id, template.project_id, template.name
), audited as (${auditText('env_template.deleted', { ...AUDITED, actor: '$3', from: 'deleted' })}
)
select from deleted`;

async function isNameTaken(
  transaction: DatabaseAccess,
  { id, projectId, name }: EnvTemplateContent,
): Promise<boolean> {
  // Writers of the templates of one project wait here for each other, because they compare names, and there is one
  // default.
  await LOCK_PROJECT(transaction, projectId);
  return await FIND_NAMESAKES(transaction, projectId, name, id);
}

function parametersOf(template: EnvTemplateContent) {
  const { id, projectId, name, keys, keyId, nonce, ciphertext, isDefault, by } = template;
  const hosts = JSON.stringify(template.hosts ?? {});
  return [id, projectId, name, keys, keyId, nonce, ciphertext, isDefault, by ?? null, hosts];
}
