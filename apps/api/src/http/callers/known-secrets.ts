import { timingSafeEqual } from 'node:crypto';
import type * as db from '@session/db';
import type { ApiKeyText } from './api-key-text.ts';

type Queries = db.Bound<Pick<typeof db, 'findSecret' | 'noteSecretUses'>>;
type Secret = db.SecretRow | undefined;

interface Look {
  readonly at: number;
  readonly found: Promise<Secret>;
}

const LOOKS = 10_000;
/** After this time, a secret that was revoked elsewhere is refused even without a notification. */
const TRUSTED_MS = 1000;

/** The secrets that callers sent lately. A secret that was read is trusted for a second, unless a notification ends that. */
export class KnownSecrets {
  readonly #queries: Queries;
  readonly #now: () => number;
  readonly #looks = new Map<string, Look>();
  #used = new Set<string>();
  #listeningAt = -Infinity;

  constructor(queries: Queries, now: () => number = () => performance.now()) {
    this.#queries = queries;
    this.#now = now;
  }

  async find(key: ApiKeyText): Promise<Secret> {
    const look = this.#looks.get(key.id);
    const trustedSince = Math.max(this.#listeningAt, this.#now() - TRUSTED_MS);
    const isTrusted = look !== undefined && look.at > trustedSince;
    const secret = await (isTrusted ? look.found : this.#look(key.id));
    if (!secret || !timingSafeEqual(secret.secretHash, key.secretHash)) return undefined;
    this.#used.add(key.id);
    return secret;
  }

  async wasValid(key: ApiKeyText): Promise<boolean> {
    const secret = await this.#looks.get(key.id)?.found.catch(() => undefined);
    return secret !== undefined && timingSafeEqual(secret.secretHash, key.secretHash);
  }

  forget(id: string): void {
    this.#looks.delete(id);
  }

  listening(): void {
    this.#listeningAt = this.#now();
  }

  async noteUses(): Promise<void> {
    const used = this.#used;
    if (used.size === 0) return;
    this.#used = new Set();
    try {
      await this.#queries.noteSecretUses([...used]);
    } catch (error) {
      for (const id of used) this.#used.add(id);
      throw error;
    }
  }

  async #look(id: string): Promise<Secret> {
    const look = { at: this.#now(), found: this.#queries.findSecret(id) };
    // Deleted first, so that this id becomes the last one.
    this.#looks.delete(id);
    this.#looks.set(id, look);
    const [oldest] = this.#looks.keys();
    if (this.#looks.size > LOOKS && oldest !== undefined) this.#looks.delete(oldest);
    try {
      return await look.found;
    } catch (error) {
      if (this.#looks.get(id) === look) this.#looks.delete(id);
      throw error;
    }
  }
}
