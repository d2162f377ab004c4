import * as db from '@session/db';

const SESSIONS = 64;
/**
 * How many sessions may be sent at the same time to one webhook, and to all webhooks of the same pace together. The
 * other slots are left to webhooks of other paces. An unknown webhook has not answered yet, and may hang.
 */
const LIMITS = {
  fast: { one: 8, all: SESSIONS },
  slow: { one: 2, all: SESSIONS / 2 },
  unknown: { one: 1, all: SESSIONS / 4 },
} as const;
/** The slots of all unknown webhooks of an account together, because all of these may hang. */
const UNKNOWN_OF_ACCOUNT = 2;
const SLOW_MS = 2000;
const KNOWN_TIMES = 10_000;

interface WebhookSlotsOptions {
  readonly database: db.DatabaseAccess;
  readonly random: () => number;
}

/** Shares the slots of this process among the webhooks. Each slot is for one session that is being sent. */
export class WebhookSlots {
  readonly #options: WebhookSlotsOptions;
  readonly #sending = new Map<string, number>();
  readonly #averageMs = new Map<string, number>();
  #accounts = new Map<string, string>();

  constructor(options: WebhookSlotsOptions) {
    this.#options = options;
  }

  take(webhookId: string): void {
    this.#sending.set(webhookId, (this.#sending.get(webhookId) ?? 0) + 1);
  }

  giveBack(webhookId: string): void {
    const left = (this.#sending.get(webhookId) ?? 1) - 1;
    if (left === 0) this.#sending.delete(webhookId);
    else this.#sending.set(webhookId, left);
  }

  noteTime(webhookId: string, durationMs: number): void {
    const before = this.#averageMs.get(webhookId) ?? durationMs;
    // Sorted by their last answers: the newest is the last.
    this.#averageMs.delete(webhookId);
    const [oldest] = this.#averageMs.keys();
    if (oldest !== undefined && this.#averageMs.size >= KNOWN_TIMES) this.#averageMs.delete(oldest);
    this.#averageMs.set(webhookId, before * 0.8 + durationMs * 0.2);
  }

  async free(ids: readonly string[]): Promise<Map<string, number>> {
    await this.#findAccounts(ids);
    const leftTo = { fast: LIMITS.fast.all, slow: LIMITS.slow.all, unknown: LIMITS.unknown.all };
    const unknownOf = new Map<string, number>();
    const count = (id: string, more: number) => {
      const pace = this.#paceOf(id);
      leftTo[pace] -= more;
      if (pace !== 'unknown') return;
      unknownOf.set(this.#accountOf(id), (unknownOf.get(this.#accountOf(id)) ?? 0) + more);
    };
    let left = SESSIONS;
    for (const [id, sending] of this.#sending) {
      count(id, sending);
      left -= sending;
    }
    const part = Math.max(1, Math.floor(left / ids.length));
    const free = new Map<string, number>();
    for (const id of this.#inTurn(ids)) {
      if (free.size >= left) break;
      const pace = this.#paceOf(id);
      const leftToOne = LIMITS[pace].one - (this.#sending.get(id) ?? 0);
      const leftToAccount =
        pace === 'unknown' ? UNKNOWN_OF_ACCOUNT - (unknownOf.get(this.#accountOf(id)) ?? 0) : part;
      const most = Math.min(part, leftToOne, leftTo[pace], leftToAccount);
      if (most <= 0) continue;
      free.set(id, most);
      count(id, most);
    }
    return free;
  }

  /**
   * Returns the ids by account, beginning with a random account and with a random webhook of each account, because
   * there may be more webhooks than free slots.
   */
  #inTurn(ids: readonly string[]): string[] {
    const accounts = Map.groupBy(ids, (id) => this.#accountOf(id));
    return this.#rotated([...accounts.values()]).flatMap((ofAccount) => this.#rotated(ofAccount));
  }

  #rotated<T>(all: readonly T[]): T[] {
    const first = Math.floor(this.#options.random() * all.length);
    return [...all.slice(first), ...all.slice(0, first)];
  }

  async #findAccounts(ids: readonly string[]): Promise<void> {
    const all = new Set([...ids, ...this.#sending.keys()]);
    const unknown = [...all].filter((id) => this.#paceOf(id) === 'unknown');
    const missing = unknown.filter((id) => !this.#accounts.has(id));
    const { database } = this.#options;
    const found = missing.length === 0 ? [] : await db.listWebhookAccounts(database, missing);
    const accountOf = new Map(found.map(({ id, account }) => [id, account]));
    this.#accounts = new Map(
      unknown.map((id) => [id, accountOf.get(id) ?? this.#accountOf(id)] as const),
    );
  }

  /** Returns a known webhook's own id, because only unknown webhooks have a limit for each account. */
  #accountOf(webhookId: string): string {
    return this.#accounts.get(webhookId) ?? webhookId;
  }

  #paceOf(webhookId: string): keyof typeof LIMITS {
    const averageMs = this.#averageMs.get(webhookId);
    if (averageMs === undefined) return 'unknown';
    return averageMs > SLOW_MS ? 'slow' : 'fast';
  }
}
