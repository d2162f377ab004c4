import { Id, type Project } from '@session/contract';
import type { FastifyRequest } from 'fastify';
import * as z from 'zod';

export const projectParams = z.object({ id: Id });

/** Returns what a caller may see of a project. A leaked API key must not reveal the members' e-mail addresses. */
export function projectFor({ caller }: Pick<FastifyRequest, 'caller'>, project: Project): Project {
  return caller.kind === 'key' ? { ...project, memberships: [] } : project;
}
