import type { Sql } from 'postgres';
import type { Database, Db } from '../client.ts';
import { and, asc, desc, eq, lt, sql as text } from '../drizzle.ts';
import { isoTime } from '../iso-time.ts';
import { envTemplates } from '../schema/env-templates.ts';
import { memberships } from '../schema/memberships.ts';
import type { MemberRole } from './memberships.ts';

/** The values of a template, as only the service's key opens them. */
export interface SealedVariables {
  readonly keyId: string;
  readonly nonce: Buffer;
  readonly ciphertext: Buffer;
}

export interface EnvTemplateRow {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly keys: readonly string[];
  readonly isDefault: boolean;
  /** One more at each change. */
  readonly version: number;
  /** ISO 8601, UTC, milliseconds. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** What is written of a template. */
export interface EnvTemplateContent extends SealedVariables {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly keys: readonly string[];
  readonly isDefault: boolean;
}

/** Where a template stands, and what it holds. */
export interface SealedTemplate extends SealedVariables {
  readonly id: string;
  readonly projectId: string;
}

export interface EnvTemplateQueries {
  /** Stores a template under an id that the caller made. One that becomes the default takes the place of the former. */
  insertEnvTemplate(template: EnvTemplateContent): Promise<'inserted' | 'name_taken'>;
  /** Changes a template that still has that version: `changed` says that it has not, or is gone. */
  updateEnvTemplate(
    template: EnvTemplateContent & { readonly version: number },
  ): Promise<'updated' | 'name_taken' | 'changed'>;
  /** Seals the values of a template anew, unless they have changed meanwhile; nobody sees a change. */
  resealEnvTemplate(id: string, former: Buffer, sealed: SealedVariables): Promise<void>;
  deleteEnvTemplate(id: string): Promise<void>;
  /** Gives a template and what the user is in its project, or undefined: unknown and foreign ones look the same. */
  findEnvTemplate(key: {
    id: string;
    userId: string;
  }): Promise<(EnvTemplateRow & SealedVariables & { memberRole: MemberRole }) | undefined>;
  /** Gives up to `limit` templates, the newest first, beginning after the template `before` (the greatest UUID: with the newest). */
  listEnvTemplates(page: {
    projectId: string;
    before: string;
    limit: number;
  }): Promise<EnvTemplateRow[]>;
  /** Gives what an agent of the project is to use: the template of that id, or without one the default, or the only one. */
  chooseEnvTemplate(choice: {
    projectId: string;
    id: string | null;
  }): Promise<Pick<EnvTemplateRow, 'id' | 'name' | 'keys'> | undefined>;
  /** Gives a template for its use, whoever asks. */
  readEnvTemplate(id: string): Promise<SealedTemplate | undefined>;
  /** Gives up to `limit` templates that were sealed with one of the keys. */
  listEnvTemplatesOfKeys(page: { keyIds: string[]; limit: number }): Promise<SealedTemplate[]>;
}

const row = {
  id: envTemplates.id,
  projectId: envTemplates.projectId,
  name: envTemplates.name,
  keys: envTemplates.keys,
  isDefault: envTemplates.isDefault,
  version: envTemplates.version,
  createdAt: isoTime(envTemplates.createdAt),
  updatedAt: isoTime(envTemplates.updatedAt),
};

const sealed = {
  keyId: envTemplates.keyId,
  nonce: envTemplates.nonce,
  ciphertext: envTemplates.ciphertext,
};

const LOCK_PROJECT = `select from projects where id = $1 for no key update`;

const UNSET_DEFAULT = `
update env_templates set is_default = false, version = version + 1, updated_at = now()
where project_id = $1 and is_default and id <> $2`;

const NAMESAKES = `select from env_templates where project_id = $1 and name = $2 and id <> $3`;

const LOCK_VERSION = `select from env_templates where id = $1 and version = $2 for update`;

const INSERT = `
insert into env_templates (id, project_id, name, keys, key_id, nonce, ciphertext, is_default)
values ($1, $2, $3, $4, $5, $6, $7, $8)`;

const UPDATE = `
update env_templates set name = $3, keys = $4, key_id = $5, nonce = $6, ciphertext = $7, is_default = $8,
  version = version + 1, updated_at = now()
where id = $1 and project_id = $2`;

const RESEAL = `update env_templates set key_id = $3, nonce = $4, ciphertext = $5 where id = $1 and nonce = $2`;

const DELETE = `delete from env_templates where id = $1`;

/** Prepares the statements on `env_templates`, once for `database`. */
export function prepareEnvTemplateQueries({
  db,
  sql,
}: Pick<Database, 'db' | 'sql'>): EnvTemplateQueries {
  return { ...prepareReads(db), ...prepareUses(db), ...prepareWrites(sql) };
}

function prepareReads(db: Db) {
  const find = db
    .select({ ...row, ...sealed, memberRole: memberships.role })
    .from(envTemplates)
    .innerJoin(memberships, eq(memberships.projectId, envTemplates.projectId))
    .where(
      and(
        eq(envTemplates.id, text.placeholder('id')),
        eq(memberships.userId, text.placeholder('userId')),
      ),
    )
    .prepare('find_env_template');
  const list = db
    .select(row)
    .from(envTemplates)
    .where(
      and(
        eq(envTemplates.projectId, text.placeholder('projectId')),
        lt(envTemplates.id, text.placeholder('before')),
      ),
    )
    // Ids lie in the order of their making.
    .orderBy(desc(envTemplates.id))
    .limit(text.placeholder('limit'))
    .prepare('list_env_templates');
  return {
    findEnvTemplate: async (key: { id: string; userId: string }) => (await find.execute(key))[0],
    listEnvTemplates: (page: { projectId: string; before: string; limit: number }) =>
      list.execute(page),
  };
}

function prepareUses(db: Db) {
  const projectId = text.placeholder('projectId');
  const id = text`${text.placeholder('id')}::uuid`;
  const template = { id: envTemplates.id, projectId: envTemplates.projectId, ...sealed };
  const choose = db
    .select({ id: envTemplates.id, name: envTemplates.name, keys: envTemplates.keys })
    .from(envTemplates)
    .where(
      and(
        eq(envTemplates.projectId, projectId),
        text`case when ${id} is not null then ${envTemplates.id} = ${id} else ${envTemplates.isDefault}
          or (select count(*) from env_templates o where o.project_id = ${projectId}) = 1 end`,
      ),
    )
    .prepare('choose_env_template');
  const read = db
    .select(template)
    .from(envTemplates)
    .where(eq(envTemplates.id, text.placeholder('id')))
    .prepare('read_env_template');
  const listOfKeys = db
    .select(template)
    .from(envTemplates)
    .where(text`${envTemplates.keyId} = any(${text.placeholder('keyIds')})`)
    .orderBy(asc(envTemplates.id))
    .limit(text.placeholder('limit'))
    .prepare('list_env_templates_of_keys');
  return {
    chooseEnvTemplate: async (choice: { projectId: string; id: string | null }) =>
      (await choose.execute(choice))[0],
    readEnvTemplate: async (templateId: string) => (await read.execute({ id: templateId }))[0],
    listEnvTemplatesOfKeys: (page: { keyIds: string[]; limit: number }) => listOfKeys.execute(page),
  };
}

function prepareWrites(sql: Sql) {
  const prepare = true;
  return {
    insertEnvTemplate: (template: EnvTemplateContent) =>
      sql.begin(async (transaction) => {
        if (await isNameTaken(transaction, template)) return 'name_taken';
        if (template.isDefault) await unsetDefault(transaction, template);
        await transaction.unsafe(INSERT, parametersOf(template), { prepare });
        return 'inserted';
      }),
    updateEnvTemplate: (template: EnvTemplateContent & { readonly version: number }) =>
      sql.begin(async (transaction) => {
        if (await isNameTaken(transaction, template)) return 'name_taken';
        const key = [template.id, template.version];
        const unchanged = await transaction.unsafe(LOCK_VERSION, key, { prepare });
        if (unchanged.length === 0) return 'changed';
        if (template.isDefault) await unsetDefault(transaction, template);
        await transaction.unsafe(UPDATE, parametersOf(template), { prepare });
        return 'updated';
      }),
    async resealEnvTemplate(id: string, former: Buffer, to: SealedVariables): Promise<void> {
      await sql.unsafe(RESEAL, [id, former, to.keyId, to.nonce, to.ciphertext], { prepare });
    },
    async deleteEnvTemplate(id: string): Promise<void> {
      await sql.unsafe(DELETE, [id], { prepare });
    },
  } satisfies Partial<EnvTemplateQueries>;
}

/** Those who write templates of one project wait here for each other: names and the default are theirs to compare. */
async function isNameTaken(
  transaction: Pick<Sql, 'unsafe'>,
  { id, projectId, name }: EnvTemplateContent,
): Promise<boolean> {
  await transaction.unsafe(LOCK_PROJECT, [projectId], { prepare: true });
  const others = await transaction.unsafe(NAMESAKES, [projectId, name, id], { prepare: true });
  return others.length > 0;
}

async function unsetDefault(
  transaction: Pick<Sql, 'unsafe'>,
  { id, projectId }: EnvTemplateContent,
): Promise<void> {
  await transaction.unsafe(UNSET_DEFAULT, [projectId, id], { prepare: true });
}

function parametersOf(template: EnvTemplateContent) {
  const { id, projectId, name, keys, keyId, nonce, ciphertext, isDefault } = template;
  return [id, projectId, name, [...keys], keyId, nonce, ciphertext, isDefault];
}
