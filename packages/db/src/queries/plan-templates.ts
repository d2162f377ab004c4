import type { Database } from '../client.ts';
import { and, desc, eq, lt, sql } from '../drizzle.ts';
import { isoTime } from '../iso-time.ts';
import { memberships } from '../schema/memberships.ts';
import { planTemplates } from '../schema/plan-templates.ts';
import type { MemberRole } from './memberships.ts';

export interface PlanTemplateRow {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly description: string | null;
  /** An array of 1 to 50. */
  readonly steps: unknown;
  /** ISO 8601, UTC, milliseconds. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface PlanTemplateQueries {
  /** Stores a plan template under an id that the caller made. */
  insertPlanTemplate(template: Omit<PlanTemplateRow, 'createdAt' | 'updatedAt'>): Promise<void>;
  /** Changes what is given of a plan template; nothing when it is gone. */
  updatePlanTemplate(change: {
    readonly id: string;
    readonly name?: string | undefined;
    readonly description?: string | null | undefined;
    readonly steps?: unknown;
  }): Promise<void>;
  deletePlanTemplate(id: string): Promise<void>;
  /** Gives a plan template and what the user is in its project, or undefined: unknown and foreign ones look the same. */
  findPlanTemplate(key: {
    id: string;
    userId: string;
  }): Promise<(PlanTemplateRow & { memberRole: MemberRole }) | undefined>;
  /** Gives up to `limit` plan templates, the newest first, beginning after `before` (the greatest UUID: with the newest). */
  listPlanTemplates(page: {
    projectId: string;
    before: string;
    limit: number;
  }): Promise<PlanTemplateRow[]>;
  /** Gives a plan template for its use, whoever asks. */
  readPlanTemplate(id: string): Promise<PlanTemplateRow | undefined>;
}

const row = {
  id: planTemplates.id,
  projectId: planTemplates.projectId,
  name: planTemplates.name,
  description: planTemplates.description,
  steps: planTemplates.steps,
  createdAt: isoTime(planTemplates.createdAt),
  updatedAt: isoTime(planTemplates.updatedAt),
};

/** Prepares the reads of `plan_templates`, once for `db`; writes are too rare for that. */
export function preparePlanTemplateQueries({ db }: Pick<Database, 'db'>): PlanTemplateQueries {
  const id = eq(planTemplates.id, sql.placeholder('id'));
  const find = db
    .select({ ...row, memberRole: memberships.role })
    .from(planTemplates)
    .innerJoin(memberships, eq(memberships.projectId, planTemplates.projectId))
    .where(and(id, eq(memberships.userId, sql.placeholder('userId'))))
    .prepare('find_plan_template');
  const list = db
    .select(row)
    .from(planTemplates)
    .where(
      and(
        eq(planTemplates.projectId, sql.placeholder('projectId')),
        lt(planTemplates.id, sql.placeholder('before')),
      ),
    )
    // Ids lie in the order of their making.
    .orderBy(desc(planTemplates.id))
    .limit(sql.placeholder('limit'))
    .prepare('list_plan_templates');
  const read = db.select(row).from(planTemplates).where(id).prepare('read_plan_template');
  return {
    async insertPlanTemplate(template) {
      await db.insert(planTemplates).values(template);
    },
    async updatePlanTemplate({ id: templateId, ...change }) {
      const changed = { ...change, updatedAt: sql`now()` };
      await db.update(planTemplates).set(changed).where(eq(planTemplates.id, templateId));
    },
    async deletePlanTemplate(templateId) {
      await db.delete(planTemplates).where(eq(planTemplates.id, templateId));
    },
    findPlanTemplate: async (key) => (await find.execute(key))[0],
    listPlanTemplates: (page) => list.execute(page),
    readPlanTemplate: async (templateId) => (await read.execute({ id: templateId }))[0],
  };
}
