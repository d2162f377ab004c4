import type { ErrorClass } from '@session/db';

/** After this many refusals in a row, the database may refuse messages for another reason than their data. */
const MAX_REFUSALS = 20;

/**
 * Decides whether failures are about single messages, single sessions, or the whole database. All flushes of a recorder share
 * one judge, because one stored message anywhere shows that the database takes messages.
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
   * Notes that the messages of one session failed. Returns whether the database takes no messages from any session: two
   * sessions failed and nothing was stored between, or an error that may have any cause hit the only session that waits.
   */
  isAway(sessionId: string, errorClass: ErrorClass, isOnlySession: boolean): boolean {
    this.#failedSessions.add(sessionId);
    if (this.#failedSessions.size > 1) return true;
    return isOnlySession && errorClass !== 'session';
  }
}
