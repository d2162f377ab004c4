import { Id, PlanStep, type PlanTemplate } from '@session/contract';
import type { PlanTemplateRow } from '@session/db';
import * as z from 'zod';

const Steps = z.array(PlanStep);

/** The path parameter of one plan template. */
export const templateParams = z.object({ id: Id });

/** The path parameter of the plan templates of a project. */
export const projectParams = z.object({ projectId: Id });

/** Returns a plan template in the API's shape. */
export function planTemplateOf(row: PlanTemplateRow): PlanTemplate {
  const { id, projectId, name, description, steps, createdAt, updatedAt } = row;
  return { id, projectId, name, description, steps: Steps.parse(steps), createdAt, updatedAt };
}
