import { type EnvTemplate, Id } from '@session/contract';
import type { EnvTemplateRow } from '@session/db';
import { AppError } from '@session/kit';
import * as z from 'zod';

export const templateParams = z.object({ id: Id });

export const projectParams = z.object({ projectId: Id });

export function envTemplateOf(row: EnvTemplateRow): EnvTemplate {
  const { id, projectId, name, keys, isDefault, version, createdAt, updatedAt } = row;
  const hosts = Object.fromEntries(Object.entries(row.hosts).map(([key, of]) => [key, [...of]]));
  return { id, projectId, name, keys: [...keys], hosts, isDefault, version, createdAt, updatedAt };
}

export function nameTaken(): AppError {
  const detail =
    'An environment template with this name already exists in the project. Choose another name.';
  return new AppError('name_taken', 'the name of a template is taken', { detail });
}
