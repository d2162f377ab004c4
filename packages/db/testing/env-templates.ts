import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { EnvTemplateContent } from '../src/queries/templates/env-template-changes.ts';

/** Returns an environment template to insert, to be varied. Its name is its id. */
export function newEnvTemplate(
  projectId: string,
  part: Partial<EnvTemplateContent> = {},
): EnvTemplateContent {
  const sealed = { keyId: 'k1', nonce: randomBytes(12), ciphertext: randomBytes(40) };
  const id = uuidv7();
  return {
    id,
    projectId,
    name: id,
    keys: ['A', 'B'],
    hosts: { A: ['a.example'] },
    isDefault: false,
    ...sealed,
    ...part,
  };
}
