import { check, index, integer, jsonb, pgTable, sql, text, uuid } from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';
import { projects } from './projects.ts';

export const planTemplates = pgTable(
  'plan_templates',
  {
    id: uuid('id').primaryKey(),
    projectId: uuid('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    description: text('description'),
    steps: jsonb('steps').notNull(),
    sizeBytes: integer('size_bytes').generatedAlwaysAs(
      sql`octet_length(steps::text) + octet_length(coalesce(description, ''))`,
    ),
    version: integer('version').notNull().default(1),
    createdAt: timestamptz('created_at').notNull().defaultNow(),
    updatedAt: timestamptz('updated_at').notNull().defaultNow(),
  },
  (t) => [
    check('plan_templates_steps', sql`jsonb_array_length(${t.steps}) between 1 and 50`),
    index('plan_templates_project').on(t.projectId),
  ],
);
