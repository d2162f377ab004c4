import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import type { SealedTemplate, SealedVariables } from '@session/db';
import * as z from 'zod';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const Variables = z.record(z.string(), z.string());

/** Where the sealed values belong: nowhere else do they open. */
interface Place {
  readonly id: string;
  readonly projectId: string;
}

/** Seals the values of templates, and opens them. */
export interface Vault {
  /** Names the key with which values are sealed from now on. */
  readonly keyId: string;
  /** Those of the other keys that open. */
  readonly formerKeyIds: readonly string[];
  /** Gives the variables as only `open` can read them, with a nonce of their own. */
  seal(variables: Readonly<Record<string, string>>, place: Place): SealedVariables;
  /** Gives the variables; undefined when their key is unknown, or they are not what was sealed at that place. */
  open(template: SealedTemplate): Record<string, string> | undefined;
}

/** Gives a vault that seals with the first of `secrets`, and opens what was sealed with any of them. */
export function openVault(secrets: readonly [string, ...string[]]): Vault {
  const keys = new Map(secrets.map((secret) => keyOf(secret)));
  const [keyId, key] = keyOf(secrets[0]);
  return {
    keyId,
    formerKeyIds: [...keys.keys()].filter((id) => id !== keyId),
    seal(variables, place) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(additionalData(place));
      const parts = [cipher.update(JSON.stringify(variables), 'utf8'), cipher.final()];
      return { keyId, nonce, ciphertext: Buffer.concat([...parts, cipher.getAuthTag()]) };
    },
    open({ nonce, ciphertext, ...template }) {
      const itsKey = keys.get(template.keyId);
      if (!itsKey) return undefined;
      try {
        const decipher = createDecipheriv(CIPHER, itsKey, nonce, { authTagLength: TAG_BYTES });
        decipher.setAAD(additionalData(template));
        decipher.setAuthTag(ciphertext.subarray(-TAG_BYTES));
        const parts = [decipher.update(ciphertext.subarray(0, -TAG_BYTES)), decipher.final()];
        return Variables.parse(JSON.parse(Buffer.concat(parts).toString('utf8')));
      } catch {
        // Its message could quote what it has read.
        return undefined;
      }
    },
  };
}

/** The id of a key is a hash of it: rows that a key has sealed are found without trying it. */
function keyOf(secret: string): [id: string, key: Buffer] {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'session-service templates', 32));
  return [createHash('sha256').update(key).digest('hex').slice(0, 16), key];
}

function additionalData({ id, projectId }: Place): Buffer {
  return Buffer.from(`${id}${projectId}`);
}
