import { AgentTemplateDefinition, Id } from '@session/contract';
import { AppError } from '@session/kit';
import * as z from 'zod';

export const templateParams = z.object({ id: Id });

export const projectParams = z.object({ projectId: Id });

export function withDefinition<Row extends { readonly definition: unknown }>({
  definition,
  ...row
}: Row): Omit<Row, 'definition'> & AgentTemplateDefinition {
  return { ...row, ...AgentTemplateDefinition.parse(definition) };
}

export function noVersion(version: number): AppError {
  const detail = `The template has no version ${version}, or no longer keeps it. Name another version.`;
  return new AppError('not_found', 'no such version of an agent template', { detail });
}
