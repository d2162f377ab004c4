import { integer, jsonb, pgTable, primaryKey, text, uuid } from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';
import { agentTemplates } from './agent-templates.ts';

export const agentTemplateVersions = pgTable(
  'agent_template_versions',
  {
    templateId: uuid('template_id')
      .notNull()
      .references(() => agentTemplates.id, { onDelete: 'cascade' }),
    version: integer('version').notNull(),
    name: text('name').notNull(),
    role: text('role').notNull(),
    definition: jsonb('definition').notNull(),
    createdBy: uuid('created_by').notNull(),
    createdAt: timestamptz('created_at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ name: 'agent_template_versions_pkey', columns: [t.templateId, t.version] })],
);
