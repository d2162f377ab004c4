import { type EnvTemplate, Id } from '@session/contract';
import type { EnvTemplateRow } from '@session/db';
import { AppError } from '@session/kit';
import * as z from 'zod';

/** The path parameter of one environment template. */
export const templateParams = z.object({ id: Id });

/** The path parameter of the environment templates of a project. */
export const projectParams = z.object({ projectId: Id });

/** Returns a template in the API's shape, which has the names of its variables but not their values. */
export function envTemplateOf(row: EnvTemplateRow): EnvTemplate {
  const { id, projectId, name, keys, isDefault, version, createdAt, updatedAt } = row;
  return { id, projectId, name, keys: [...keys], isDefault, version, createdAt, updatedAt };
}

/** Returns the error for a name that another template of the project has. */
export function nameTaken(): AppError {
  const detail = 'Another environment template of the project has this name.';
  return new AppError('name_taken', 'the name of a template is taken', { detail });
}
