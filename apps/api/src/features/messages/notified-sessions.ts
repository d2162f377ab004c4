/** How long after a notification a reader may begin to wait although it read before the messages were stored. */
const LATELY_MS = 1000;
const RARER = 10;

/**
 * Chooses the sessions whose heads are looked at next: those named by `lookAt`. As notifications may be lost, all sessions
 * are chosen once a second too, or every `everyMs` until the first notification.
 */
export class NotifiedSessions {
  readonly #everyMs: number;
  readonly #now: () => number;
  readonly #due = new Set<string>();
  /** Sorted from the oldest. */
  readonly #stored = new Map<string, number>();
  #allStoredAt = -Infinity;
  #hasNotifications = false;
  #lookAllAt = 0;

  /** @param now a monotonic clock. */
  constructor(everyMs: number, now = () => performance.now()) {
    this.#everyMs = everyMs;
    this.#now = now;
  }

  /** Notes that a notification came, and named these sessions. */
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

  /** Notes that any session may have new messages. */
  storedAll(): void {
    this.#allStoredAt = this.#now();
    this.lookAtAll();
  }

  /** Returns whether messages were stored so recently that a reader who begins to wait now may have read before. */
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

  /** Returns those of the `waiting` sessions to look at now. They are not returned again until there is another reason. */
  take(waiting: ReadonlyMap<string, unknown>): string[] {
    const due = [...this.#due].filter((id) => waiting.has(id));
    this.#due.clear();
    const now = this.#now();
    if (now < this.#lookAllAt) return due;
    this.#lookAllAt = now + (this.#hasNotifications ? this.#everyMs * RARER : this.#everyMs);
    return [...waiting.keys()];
  }
}
