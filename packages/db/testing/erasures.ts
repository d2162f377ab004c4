import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { eraseMessages } from '../src/queries/erasures/erased-messages.ts';
import {
  type ErasureRow,
  type ErasureScope,
  findErasure,
  insertErasure,
} from '../src/queries/erasures/erasures.ts';
import type { TestProject } from './project.ts';

const NO_SCOPE: ErasureScope = { sessionId: null, messageIds: null, identity: null, userId: null };

/** Stores a request to erase in the project, and returns its id. */
export async function addErasure(
  project: TestProject,
  scope: Partial<ErasureScope>,
): Promise<string> {
  const { projectId, userId: requestedBy } = project;
  const id = uuidv7();
  const request = { id, projectId, requestedBy, ...NO_SCOPE, ...scope };
  if (!(await insertErasure(project, request))) throw new Error('the erasure was refused');
  return id;
}

/** Erases messages of a session on a new request, whose id it returns. */
export async function eraseOnRequest(
  project: TestProject,
  sessionId: string,
  ids: readonly string[],
): Promise<string> {
  const erasureId = await addErasure(project, { sessionId, identity: 'user-1' });
  await eraseMessages(project, { sessionId, ids, erasureId });
  return erasureId;
}

export async function readErasure(project: TestProject, id: string): Promise<ErasureRow> {
  const found = await findErasure(project, { id, userId: project.userId });
  if (!found) throw new Error('there is no such erasure');
  return found.erasure;
}

/** Returns the digest of an erasure of these messages. */
export function digestOf(ids: readonly string[]): string {
  return createHash('sha256').update(ids.toSorted().join(',')).digest('hex');
}
