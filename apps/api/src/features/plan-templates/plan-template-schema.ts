import { Id, PlanStep, type PlanTemplate } from '@session/contract';
import type { PlanTemplateRow } from '@session/db';
import * as z from 'zod';

const Steps = z.array(PlanStep);

/** The id of a plan template in a path. */
export const templateParams = z.object({ id: Id });

/** The id of a project whose plan templates are meant, in a path. */
export const projectParams = z.object({ projectId: Id });

/** Gives a plan template as the API gives it. */
export function planTemplateOf(row: PlanTemplateRow): PlanTemplate {
  const { id, projectId, name, description, steps, createdAt, updatedAt } = row;
  return { id, projectId, name, description, steps: Steps.parse(steps), createdAt, updatedAt };
}
