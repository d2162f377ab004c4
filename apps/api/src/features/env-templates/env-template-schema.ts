import { type EnvTemplate, Id } from '@session/contract';
import type { EnvTemplateRow } from '@session/db';
import { AppError } from '@session/kit';
import * as z from 'zod';

/** The id of a template of variables in a path. */
export const templateParams = z.object({ id: Id });

/** The id of a project whose templates are meant, in a path. */
export const projectParams = z.object({ projectId: Id });

/** Gives a template as the API gives it: nothing of its values. */
export function envTemplateOf(row: EnvTemplateRow): EnvTemplate {
  const { id, projectId, name, keys, isDefault, version, createdAt, updatedAt } = row;
  return { id, projectId, name, keys: [...keys], isDefault, version, createdAt, updatedAt };
}

/** Gives what is thrown when another template of the project has the name. */
export function nameTaken(): AppError {
  const detail = 'Another template of the project has this name.';
  return new AppError('name_taken', 'the name of a template is taken', { detail });
}
