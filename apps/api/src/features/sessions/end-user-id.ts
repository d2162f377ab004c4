import { v5 as uuidv5 } from 'uuid';

/**
 * Returns the id of the account of an end user, which is the same in all sessions of a project, whatever name a token
 * gives.
 */
export function endUserIdOf(projectId: string, externalId: string): string {
  return uuidv5(externalId, projectId);
}
