import { createHash, randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { insertApiKey } from '../src/queries/accounts/api-key-changes.ts';
import type { KeyRole } from '../src/queries/accounts/api-keys.ts';
import type { TestProject } from './project.ts';

export const KEY_LIMIT = 20;
export const SECRET_HASH = createHash('sha256').update('secret').digest();

export async function addApiKey(project: TestProject, more: Parameters<typeof newApiKey>[1] = {}) {
  const key = newApiKey(project, more);
  expect(await insertApiKey(project, key, KEY_LIMIT)).toBe(true);
  return key;
}

export function newApiKey(
  { projectId, userId }: TestProject,
  { role = 'MEMBER', expiresAt = null }: { role?: KeyRole; expiresAt?: string | null } = {},
) {
  const secret = { secretId: randomUUID(), secretHash: SECRET_HASH, createdBy: userId, expiresAt };
  return { id: uuidv7(), projectId, name: 'Backend', role, membershipId: uuidv7(), ...secret };
}
