import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import type { SealedTemplate, SealedVariables } from '@session/db';
import * as z from 'zod';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const Variables = z.record(z.string(), z.string());

interface TemplateKey {
  readonly id: string;
  readonly projectId: string;
}

export interface Vault {
  readonly keyId: string;
  readonly formerKeyIds: readonly string[];
  seal(variables: Readonly<Record<string, string>>, template: TemplateKey): SealedVariables;
  open(template: SealedTemplate): Record<string, string> | undefined;
}

/** Returns a vault that seals with the first of `secrets`, and opens what any of them sealed. */
export function openVault(secrets: readonly [string, ...string[]]): Vault {
  const keys = new Map(secrets.map((secret) => keyOf(secret)));
  const [keyId, key] = keyOf(secrets[0]);
  return {
    keyId,
    formerKeyIds: [...keys.keys()].filter((id) => id !== keyId),
    seal(variables, template) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(additionalData(template));
      const parts = [cipher.update(JSON.stringify(variables), 'utf8'), cipher.final()];
      return { keyId, nonce, ciphertext: Buffer.concat([...parts, cipher.getAuthTag()]) };
    },
    open({ nonce, ciphertext, ...template }) {
      const formerKey = keys.get(template.keyId);
      if (!formerKey) return undefined;
      try {
        const decipher = createDecipheriv(CIPHER, formerKey, nonce, { authTagLength: TAG_BYTES });
        decipher.setAAD(additionalData(template));
        decipher.setAuthTag(ciphertext.subarray(-TAG_BYTES));
        const parts = [decipher.update(ciphertext.subarray(0, -TAG_BYTES)), decipher.final()];
        return Variables.parse(JSON.parse(Buffer.concat(parts).toString('utf8')));
      } catch {
        // The error is dropped, because its message could quote decrypted values.
        return undefined;
      }
    },
  };
}

/**
 * Derives a key from a secret. The key's id is a hash of the key, so that rows can be found by the key that sealed
 * them.
 */
function keyOf(secret: string): [id: string, key: Buffer] {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'session-service templates', 32));
  return [createHash('sha256').update(key).digest('hex').slice(0, 16), key];
}

function additionalData({ id, projectId }: TemplateKey): Buffer {
  return Buffer.from(`${id}${projectId}`);
}
