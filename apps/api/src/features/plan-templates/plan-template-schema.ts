import { Id, PlanStep, type PlanTemplate } from '@session/contract';
import type { PlanTemplateRow } from '@session/db';
import * as z from 'zod';

const Steps = z.array(PlanStep);

export const templateParams = z.object({ id: Id });

export const projectParams = z.object({ projectId: Id });

export function planTemplateOf(row: PlanTemplateRow): PlanTemplate {
  const { id, projectId, name, description, version, createdAt, updatedAt } = row;
  const steps = Steps.parse(row.steps);
  return { id, projectId, name, description, steps, version, createdAt, updatedAt };
}
