import { bytea } from '../columns/bytea.ts';
import {
  boolean,
  integer,
  jsonb,
  pgTable,
  sql,
  text,
  unique,
  uniqueIndex,
  uuid,
} from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';
import { projects } from './projects.ts';

export const envTemplates = pgTable(
  'env_templates',
  {
    id: uuid('id').primaryKey(),
    projectId: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    keys: text('keys').array().notNull(),
    hosts: jsonb('hosts').notNull().default({}),
    keyId: text('key_id').notNull(),
    nonce: bytea('nonce').notNull(),
    ciphertext: bytea('ciphertext').notNull(),
    sizeBytes: integer('size_bytes').generatedAlwaysAs(sql`octet_length(ciphertext)`),
    isDefault: boolean('is_default').notNull().default(false),
    version: integer('version').notNull().default(1),
    createdAt: timestamptz('created_at').notNull().defaultNow(),
    updatedAt: timestamptz('updated_at').notNull().defaultNow(),
  },
  (t) => [
    unique('env_templates_project_name').on(t.projectId, t.name),
    uniqueIndex('env_templates_default').on(t.projectId).where(sql`${t.isDefault}`),
  ],
);
