/** A reader that read just before messages were stored may begin to wait up to this long after their notification. */
const LATELY_MS = 1000;
const RARER = 10;

/**
 * Chooses the sessions whose heads are checked next: those named by `lookAt`, and all after `lookAtAll`. Notifications
 * may be lost, so all sessions are also chosen every `everyMs` until the first notification, and a tenth as often after it.
 */
export class NotifiedSessions {
  readonly #everyMs: number;
  readonly #now: () => number;
  readonly #due = new Set<string>();
  readonly #stored = new Map<string, number>();
  #allStoredAt = -Infinity;
  #hasNotifications = false;
  #lookAllAt = 0;

  constructor(everyMs: number, now = () => performance.now()) {
    this.#everyMs = everyMs;
    this.#now = now;
  }

  stored(sessionIds: readonly string[]): void {
    this.#hasNotifications = true;
    const now = this.#now();
    for (const [id, at] of this.#stored) {
      if (at > now - LATELY_MS) break;
      this.#stored.delete(id);
    }
    for (const id of sessionIds) {
      // Deleted first, so that the oldest stay in front.
      this.#stored.delete(id);
      this.#stored.set(id, now);
    }
  }

  storedAll(): void {
    this.#allStoredAt = this.#now();
    this.lookAtAll();
  }

  wasNotifiedLately(sessionId: string): boolean {
    const storedAt = Math.max(this.#stored.get(sessionId) ?? -Infinity, this.#allStoredAt);
    return storedAt > this.#now() - LATELY_MS;
  }

  lookAt(sessionId: string): void {
    this.#due.add(sessionId);
  }

  lookAtAll(): void {
    this.#lookAllAt = 0;
  }

  /**
   * Returns the `waiting` sessions to check now. A session is returned again only when there is another reason to check
   * it.
   */
  take(waiting: ReadonlyMap<string, unknown>): string[] {
    const due = [...this.#due].filter((id) => waiting.has(id));
    this.#due.clear();
    const now = this.#now();
    if (now < this.#lookAllAt) return due;
    this.#lookAllAt = now + (this.#hasNotifications ? this.#everyMs * RARER : this.#everyMs);
    return [...waiting.keys()];
  }
}
