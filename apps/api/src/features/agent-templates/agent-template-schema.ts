import {
  type AgentTemplate,
  AgentTemplateDefinition,
  type AgentTemplateVersion,
  Id,
} from '@session/contract';
import type { AgentTemplateRow, AgentTemplateVersionRow } from '@session/db';
import { AppError } from '@session/kit';
import * as z from 'zod';

export const templateParams = z.object({ id: Id });

export const projectParams = z.object({ projectId: Id });

export function agentTemplateOf(row: AgentTemplateRow): AgentTemplate {
  const { definition, ...template } = row;
  return { ...template, ...AgentTemplateDefinition.parse(definition) };
}

export function agentTemplateVersionOf(row: AgentTemplateVersionRow): AgentTemplateVersion {
  const { definition, ...version } = row;
  return { ...version, ...AgentTemplateDefinition.parse(definition) };
}

export function noVersion(version: number): AppError {
  const detail = `The template has no version ${version}, or keeps it no longer. Name another one.`;
  return new AppError('not_found', 'no such version of an agent template', { detail });
}
