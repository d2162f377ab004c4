import { isoFromText } from '../iso-time.ts';
import { type DatabaseAccess, type SqlClient, statement } from '../statement.ts';
import { inTransaction } from '../transaction.ts';
import type { ProjectRole } from './memberships.ts';
import {
  prepareSealedTemplateQueries,
  SEALED_COLUMNS,
  type SealedTemplateQueries,
  type SealedVariables,
} from './sealed-templates.ts';

export interface EnvTemplateRow {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly keys: readonly string[];
  readonly isDefault: boolean;
  /** Grows by one at each change. */
  readonly version: number;
  /** ISO 8601, UTC, milliseconds. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The parts of a template that a caller writes. */
export interface EnvTemplateContent extends SealedVariables {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly keys: readonly string[];
  readonly isDefault: boolean;
}

export interface EnvTemplateQueries extends SealedTemplateQueries {
  /** Stores a template under an id that the caller made. If it is the default, the former default is a default no more. */
  insertEnvTemplate(template: EnvTemplateContent): Promise<'inserted' | 'name_taken'>;
  /** Changes a template that still has `version`; returns `changed` when it has another version or is deleted. */
  updateEnvTemplate(
    template: EnvTemplateContent & { readonly version: number },
  ): Promise<'updated' | 'name_taken' | 'changed'>;
  deleteEnvTemplate(id: string): Promise<void>;
  /** Returns a template and the user's role in its project, or undefined: unknown and foreign ones look the same. */
  findEnvTemplate(key: {
    id: string;
    userId: string;
  }): Promise<(EnvTemplateRow & SealedVariables & { memberRole: ProjectRole }) | undefined>;
  /**
   * Returns up to `limit` templates, the newest first. The page begins after the template `before`; the greatest UUID means
   * the newest.
   */
  listEnvTemplates(page: {
    projectId: string;
    before: string;
    limit: number;
  }): Promise<EnvTemplateRow[]>;
  /** Returns the template for an agent of the project: the template `id`, or without an id the default, or the only one. */
  chooseEnvTemplate(choice: {
    projectId: string;
    id: string | null;
  }): Promise<Pick<EnvTemplateRow, 'id' | 'name' | 'keys'> | undefined>;
}

const COLUMNS = `
  template.id,
  template.project_id as "projectId",
  template.name,
  template.keys,
  template.is_default as "isDefault",
  template.version,
  template.created_at as "createdAt",
  template.updated_at as "updatedAt"`;

export const FIND_ENV_TEMPLATE = statement<
  [id: string, userId: string],
  EnvTemplateRow & SealedVariables & { memberRole: ProjectRole }
>(
  'find_env_template',
  `
select ${COLUMNS}, ${SEALED_COLUMNS}, membership.role as "memberRole"
from env_templates template
join memberships membership on membership.project_id = template.project_id
where template.id = $1
  and membership.user_id = $2`,
);

export const LIST_ENV_TEMPLATES = statement<
  [projectId: string, before: string, limit: number],
  EnvTemplateRow
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

export const CHOOSE_ENV_TEMPLATE = statement<
  [projectId: string, id: string | null],
  Pick<EnvTemplateRow, 'id' | 'name' | 'keys'>
>(
  'choose_env_template',
  `
select template.id, template.name, template.keys
from env_templates template
where template.project_id = $1
  and case
    when $2::uuid is not null then template.id = $2
    else template.is_default
      or (select count(*) from env_templates sibling where sibling.project_id = $1) = 1
  end`,
);

// Writers of the templates of one project wait here for each other: they compare names, and there is one default.
export const LOCK_PROJECT_OF_TEMPLATES = statement<[projectId: string]>(
  'lock_project_of_templates',
  `select from projects where id = $1 for no key update`,
);

export const UNSET_DEFAULT_TEMPLATE = statement<[projectId: string, exceptId: string]>(
  'unset_default_template',
  `
update env_templates set
  is_default = false,
  version = version + 1,
  updated_at = now()
where project_id = $1
  and is_default
  and id <> $2`,
);

export const FIND_NAMESAKES = statement<[projectId: string, name: string, exceptId: string]>(
  'find_namesakes',
  `select from env_templates where project_id = $1 and name = $2 and id <> $3`,
);

export const LOCK_TEMPLATE_VERSION = statement<[id: string, version: number]>(
  'lock_template_version',
  `select from env_templates where id = $1 and version = $2 for update`,
);

type ContentParameters = [
  id: string,
  projectId: string,
  name: string,
  keys: readonly string[],
  keyId: string,
  nonce: Buffer,
  ciphertext: Buffer,
  isDefault: boolean,
];

export const INSERT_ENV_TEMPLATE = statement<ContentParameters>(
  'insert_env_template',
  `
insert into env_templates (id, project_id, name, keys, key_id, nonce, ciphertext, is_default)
values ($1, $2, $3, $4, $5, $6, $7, $8)`,
);

export const UPDATE_ENV_TEMPLATE = statement<ContentParameters>(
  'update_env_template',
  `
update env_templates set
  name = $3,
  keys = $4,
  key_id = $5,
  nonce = $6,
  ciphertext = $7,
  is_default = $8,
  version = version + 1,
  updated_at = now()
where id = $1
  and project_id = $2`,
);

export const DELETE_ENV_TEMPLATE = statement<[id: string]>(
  'delete_env_template',
  `delete from env_templates where id = $1`,
);

/** Returns the queries on `env_templates`. */
export function prepareEnvTemplateQueries(database: DatabaseAccess): EnvTemplateQueries {
  return {
    ...prepareReads(database),
    ...prepareWrites(database),
    ...prepareSealedTemplateQueries(database),
  };
}

function prepareReads({ sql }: DatabaseAccess) {
  return {
    async findEnvTemplate({ id, userId }) {
      const [template] = await FIND_ENV_TEMPLATE.run(sql, id, userId);
      return template && withIsoTimes(template);
    },
    async listEnvTemplates({ projectId, before, limit }) {
      return (await LIST_ENV_TEMPLATES.run(sql, projectId, before, limit)).map(withIsoTimes);
    },
    async chooseEnvTemplate({ projectId, id }) {
      return (await CHOOSE_ENV_TEMPLATE.run(sql, projectId, id))[0];
    },
  } satisfies Partial<EnvTemplateQueries>;
}

function prepareWrites(database: DatabaseAccess) {
  const { sql } = database;
  return {
    insertEnvTemplate: (template) =>
      inTransaction(database, async ({ sql: client }) => {
        if (await isNameTaken(client, template)) return 'name_taken';
        if (template.isDefault) {
          await UNSET_DEFAULT_TEMPLATE.run(client, template.projectId, template.id);
        }
        await INSERT_ENV_TEMPLATE.run(client, ...parametersOf(template));
        return 'inserted';
      }),
    updateEnvTemplate: (template) =>
      inTransaction(database, async ({ sql: client }) => {
        if (await isNameTaken(client, template)) return 'name_taken';
        const locked = await LOCK_TEMPLATE_VERSION.run(client, template.id, template.version);
        if (locked.length === 0) return 'changed';
        if (template.isDefault) {
          await UNSET_DEFAULT_TEMPLATE.run(client, template.projectId, template.id);
        }
        await UPDATE_ENV_TEMPLATE.run(client, ...parametersOf(template));
        return 'updated';
      }),
    async deleteEnvTemplate(id) {
      await DELETE_ENV_TEMPLATE.run(sql, id);
    },
  } satisfies Partial<EnvTemplateQueries>;
}

async function isNameTaken(
  client: SqlClient,
  { id, projectId, name }: EnvTemplateContent,
): Promise<boolean> {
  await LOCK_PROJECT_OF_TEMPLATES.run(client, projectId);
  return (await FIND_NAMESAKES.run(client, projectId, name, id)).length > 0;
}

function parametersOf(template: EnvTemplateContent): ContentParameters {
  const { id, projectId, name, keys, keyId, nonce, ciphertext, isDefault } = template;
  return [id, projectId, name, keys, keyId, nonce, ciphertext, isDefault];
}

/** Times come as PostgreSQL's text. */
function withIsoTimes<Template extends EnvTemplateRow>(template: Template): Template {
  const createdAt = isoFromText(template.createdAt);
  return { ...template, createdAt, updatedAt: isoFromText(template.updatedAt) };
}
