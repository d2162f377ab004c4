import type { ErrorClass } from '@session/db';

/** After this many refusals in a row, the cause may not be the data of the messages. */
const MAX_REFUSALS = 20;

/**
 * Decides whether failures are about messages, sessions, or the database. All flushes share it: one stored message
 * shows that the database takes messages.
 */
export class FailureJudge {
  readonly #failedSessions = new Set<string>();
  #refusals = 0;

  stored(): void {
    this.#failedSessions.clear();
    this.#refusals = 0;
  }

  refused(): void {
    this.#refusals += 1;
  }

  get mayRefuse(): boolean {
    return this.#refusals < MAX_REFUSALS;
  }

  /**
   * Notes a failure of one session. Returns whether the database counts as away: two sessions failed and nothing was
   * stored in between, or the only session that waits failed with an error of any class but `session`.
   */
  isAway(sessionId: string, errorClass: ErrorClass, isOnlySession: boolean): boolean {
    this.#failedSessions.add(sessionId);
    if (this.#failedSessions.size > 1) return true;
    return isOnlySession && errorClass !== 'session';
  }
}
