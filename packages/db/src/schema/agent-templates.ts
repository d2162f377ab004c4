import { check, index, integer, jsonb, pgTable, sql, text, uuid } from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';
import { projects } from './projects.ts';

/** `definition` is that of the newest version, and contains no secret. */
export const agentTemplates = pgTable(
  'agent_templates',
  {
    id: uuid('id').primaryKey(),
    projectId: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    role: text('role').notNull(),
    version: integer('version').notNull().default(1),
    definition: jsonb('definition').notNull(),
    sizeBytes: integer('size_bytes').generatedAlwaysAs(sql`octet_length(definition::text)`),
    createdBy: uuid('created_by').notNull(),
    createdAt: timestamptz('created_at').notNull().defaultNow(),
    updatedBy: uuid('updated_by').notNull(),
    updatedAt: timestamptz('updated_at').notNull().defaultNow(),
  },
  (t) => [
    check('agent_templates_definition', sql`jsonb_typeof(${t.definition}) = 'object'`),
    index('agent_templates_project').on(t.projectId),
  ],
);
