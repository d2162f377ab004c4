import { hasRows, nothing } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import { inTransaction } from '../../statement/transaction.ts';
import {
  changeTemplates,
  type ExceededLimit,
  LOCK_PROJECT,
  type TemplateLimits,
} from '../accounts/account-limits.ts';
import { auditText } from '../operations/audit-events.ts';

export const KEPT_VERSIONS = 50;

export interface AgentTemplateContent {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly role: string;
  readonly definition: object;
  readonly by: string;
}

const AUDITED = {
  project: 'project_id',
  target: 'id',
  detail: `jsonb_build_object('name', name, 'version', version)`,
} as const;

const INSERTED_VERSION = (from: string) => `
  insert into agent_template_versions (template_id, version, name, role, definition, created_by)
  select id, version, name, role, definition, updated_by from ${from}`;

export const INSERT_AGENT_TEMPLATE = statement(
  'insert_agent_template',
  ({ id, projectId, name, role, definition, by }: AgentTemplateContent) => [
    id,
    projectId,
    name,
    role,
    JSON.stringify(definition),
    by,
  ],
  nothing,
)`
with inserted as (
  insert into agent_templates (id, project_id, name, role, definition, created_by, updated_by)
  values ($1, $2, $3, $4, $5::text::jsonb, $6, $6)
  returning id, project_id, version, name, role, definition, updated_by
), kept as (${INSERTED_VERSION('inserted')}
), audited as (${auditText('agent_template.created', {
  ...AUDITED,
  actor: '$6',
  from: 'inserted',
})}
)
select from inserted`;

export async function insertAgentTemplate(
  database: DatabaseAccess,
  template: AgentTemplateContent,
  limits?: TemplateLimits,
): Promise<'inserted' | ExceededLimit> {
  return await changeTemplates(database, template.projectId, limits, async (transaction) => {
    await INSERT_AGENT_TEMPLATE(transaction, template);
    return 'inserted' as const;
  });
}

interface ChangedAgentTemplate extends AgentTemplateContent {
  readonly version: number;
}

export const UPDATE_AGENT_TEMPLATE = statement(
  'update_agent_template',
  ({ id, version, name, role, definition, by }: ChangedAgentTemplate) => [
    id,
    version,
    name,
    role,
    JSON.stringify(definition),
    by,
  ],
  hasRows,
)`
with changed as (
  update agent_templates set
    name = $3,
    role = $4,
    definition = $5::text::jsonb,
    version = version + 1,
    updated_by = $6,
    updated_at = now()
  where id = $1
    and version = $2
  returning id, project_id, version, name, role, definition, updated_by
), kept as (${INSERTED_VERSION('changed')}
), dropped as (
  delete from agent_template_versions former
  using changed
  where former.template_id = changed.id
    and former.version <= changed.version - ${KEPT_VERSIONS}
    and not exists (
      select from agents agent
      where agent.agent_template_id = former.template_id
        and agent.agent_template_version = former.version
        and agent.status <> 'Stopped'
    )
), audited as (${auditText('agent_template.changed', { ...AUDITED, actor: '$6', from: 'changed' })}
)
select from changed`;

/**
 * Stores a new version of a template that still has `version`; otherwise returns `changed`. Deletes former versions, except
 * the newest ones and those with which live agents run.
 */
export async function updateAgentTemplate(
  database: DatabaseAccess,
  template: ChangedAgentTemplate,
  limits?: TemplateLimits,
): Promise<'updated' | 'changed' | ExceededLimit> {
  return await changeTemplates(database, template.projectId, limits, async (transaction) => {
    await LOCK_PROJECT(transaction, template.projectId);
    return (await UPDATE_AGENT_TEMPLATE(transaction, template)) ? 'updated' : 'changed';
  });
}

export const LOCK_AGENT_TEMPLATE = statement(
  'lock_agent_template',
  (id: string, projectId: string) => [id, projectId],
  hasRows,
)`
select from agent_templates where id = $1 and project_id = $2 for update`;

export const DELETE_AGENT_TEMPLATE = statement(
  'delete_agent_template',
  (id: string, by: string) => [id, by],
  hasRows,
)`
with deleted as (
  delete from agent_templates template
  where template.id = $1
    and not exists (
      select from agents agent
      where agent.agent_template_id = template.id
        and agent.status <> 'Stopped'
    )
  returning template.id, template.project_id, template.name, template.version
), audited as (${auditText('agent_template.deleted', { ...AUDITED, actor: '$2', from: 'deleted' })}
)
select from deleted`;

export async function deleteAgentTemplate(
  database: DatabaseAccess,
  { id, projectId }: { id: string; projectId: string },
  by: string,
): Promise<'deleted' | 'in_use'> {
  return await inTransaction(database, async (transaction) => {
    await LOCK_PROJECT(transaction, projectId);
    if (!(await LOCK_AGENT_TEMPLATE(transaction, id, projectId))) return 'deleted';
    return (await DELETE_AGENT_TEMPLATE(transaction, id, by)) ? 'deleted' : 'in_use';
  });
}
