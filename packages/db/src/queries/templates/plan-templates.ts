import type { ProjectRole } from '../../schema/memberships.ts';
import { hasRows, nothing } from '../../statement/rows.ts';
import { type DatabaseAccess, statement } from '../../statement/statement.ts';
import {
  changeTemplates,
  type ExceededLimit,
  LOCK_PROJECT,
  type TemplateLimits,
} from '../accounts/account-limits.ts';
import { auditText } from '../operations/audit-events.ts';

export interface PlanTemplateRow {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly description: string | null;
  readonly steps: unknown;
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

interface StoredTemplate extends PlanTemplateRow {
  readonly steps: string;
}

const COLUMNS = `
  template.id,
  template.project_id as "projectId",
  template.name,
  template.description,
  template.steps,
  template.version,
  template.created_at as "createdAt",
  template.updated_at as "updatedAt"`;

export const findPlanTemplate = statement(
  'find_plan_template',
  ({ id, userId }: { id: string; userId: string }) => [id, userId],
  ([template]: (StoredTemplate & { memberRole: ProjectRole })[]) =>
    template && templateRow(template),
)`
select ${COLUMNS}, membership.role as "memberRole"
from plan_templates template
join memberships membership on membership.project_id = template.project_id
where template.id = $1
  and membership.user_id = $2`;

export const listPlanTemplates = statement(
  'list_plan_templates',
  ({ projectId, before, limit }: { projectId: string; before: string; limit: number }) => [
    projectId,
    before,
    limit,
  ],
  (rows: StoredTemplate[]) => rows.map(templateRow),
)`
select ${COLUMNS}
from plan_templates template
where template.project_id = $1
  and template.id < $2
-- Ids lie in the order of their creation.
order by template.id desc
limit $3`;

export const readPlanTemplate = statement(
  'read_plan_template',
  (id: string) => [id],
  ([template]: StoredTemplate[]) => template && templateRow(template),
)`
select ${COLUMNS} from plan_templates template where template.id = $1`;

const AUDITED = {
  project: 'project_id',
  target: 'id',
  detail: `jsonb_build_object('name', name)`,
} as const;

type NewPlanTemplateRow = Omit<PlanTemplateRow, 'version' | 'createdAt' | 'updatedAt'> & {
  readonly by?: string;
};

export const INSERT_PLAN_TEMPLATE = statement(
  'insert_plan_template',
  ({ id, projectId, name, description, steps, by }: NewPlanTemplateRow) => [
    id,
    projectId,
    name,
    description,
    JSON.stringify(steps),
    by ?? null,
  ],
  nothing,
)`
with inserted as (
  insert into plan_templates (id, project_id, name, description, steps)
  values ($1, $2, $3, $4, $5::text::jsonb)
  returning id, project_id, name
), audited as (${auditText('plan_template.created', { ...AUDITED, actor: '$6', from: 'inserted' })}
)
select from inserted`;

export async function insertPlanTemplate(
  database: DatabaseAccess,
  template: NewPlanTemplateRow,
  limits?: TemplateLimits,
): Promise<'done' | ExceededLimit> {
  return await changeTemplates(database, template.projectId, limits, async (transaction) => {
    await INSERT_PLAN_TEMPLATE(transaction, template);
    return 'done' as const;
  });
}

interface ChangedPlanTemplate {
  readonly id: string;
  readonly projectId: string;
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  readonly steps?: unknown;
  readonly by?: string;
  readonly version?: number | undefined;
}

// Null leaves a column as it is. Only `description` may become null, so a parameter says whether it changes.
export const UPDATE_PLAN_TEMPLATE = statement(
  'update_plan_template',
  ({ id, name, description, steps, by, version }: ChangedPlanTemplate) => [
    id,
    name ?? null,
    description !== undefined,
    description ?? null,
    steps === undefined ? null : JSON.stringify(steps),
    by ?? null,
    version ?? null,
  ],
  hasRows,
)`
with given as (
  -- Locked, so that what is compared is what is changed.
  select
    id,
    coalesce($2, name) as name,
    case when $3::boolean then $4 else description end as description,
    coalesce($5::text::jsonb, steps) as steps
  from plan_templates
  where id = $1
    and ($7::int is null or version = $7)
  for no key update
), changed as (
  update plan_templates template set
    name = given.name,
    description = given.description,
    steps = given.steps,
    version = template.version + 1,
    updated_at = now()
  from given
  where template.id = given.id
    and (given.name, given.description, given.steps)
      is distinct from (template.name, template.description, template.steps)
  returning template.id, template.project_id, template.name
), audited as (${auditText('plan_template.changed', {
  ...AUDITED,
  actor: '$6',
  from: 'changed',
})}
)
select from given`;

/**
 * Changes the fields that are not undefined. If nothing differs, version and time stay as they are. Returns `changed` when
 * the template is deleted, or has another `version`.
 */
export async function updatePlanTemplate(
  database: DatabaseAccess,
  change: ChangedPlanTemplate,
  limits?: TemplateLimits,
): Promise<'updated' | 'changed' | ExceededLimit> {
  return await changeTemplates(database, change.projectId, limits, async (transaction) => {
    await LOCK_PROJECT(transaction, change.projectId);
    return (await UPDATE_PLAN_TEMPLATE(transaction, change)) ? 'updated' : 'changed';
  });
}

export const deletePlanTemplate = statement(
  'delete_plan_template',
  ({ id, projectId }: { id: string; projectId: string }, by: string) => [id, projectId, by],
  nothing,
)`
with project as (
  select id from projects where id = $2 and deleted_at is null for key share
), deleted as (
  delete from plan_templates template using project
  where template.id = $1 and template.project_id = project.id
  returning template.id, template.project_id, template.name
), audited as (${auditText('plan_template.deleted', { ...AUDITED, actor: '$3', from: 'deleted' })}
)
select from deleted`;

function templateRow<Stored extends StoredTemplate>(
  template: Stored,
): Omit<Stored, 'steps'> & Pick<PlanTemplateRow, 'steps'> {
  return { ...template, steps: JSON.parse(template.steps) };
}
