import type { Logger } from 'pino';

/** Whether the database answers this recorder, and for how long it has done so. */
export class DatabaseWatch {
  readonly #log: Pick<Logger, 'info' | 'warn'>;
  readonly #graceMs: number;
  #isOk = false;
  /** When the database last failed, on the process's own clock. */
  #failedAt = Number.NEGATIVE_INFINITY;

  /** After a failure, other recorders are not declared dead for `graceMs`. */
  constructor(log: Pick<Logger, 'info' | 'warn'>, graceMs: number) {
    this.#log = log;
    this.#graceMs = graceMs;
  }

  /** Whether the database answered the last time. */
  get isOk(): boolean {
    return this.#isOk;
  }

  /**
   * Whether silent recorders may be declared dead. After a failure of the database all recorders look dead, until each
   * recorder has sent a heartbeat again. True before the first answer, so that a recorder that starts takes over from dead
   * recorders in its first round. So a recorder that starts just after an outage does not wait: it has not seen the failure.
   */
  get mayDeclareDead(): boolean {
    return performance.now() - this.#failedAt >= this.#graceMs;
  }

  /** Notes that the database answered. */
  succeeded(): void {
    if (!this.#isOk) this.#log.info('the database answers');
    this.#isOk = true;
  }

  /** Notes that the database did not answer. */
  failed(err: unknown): void {
    this.#failedAt = performance.now();
    if (this.#isOk) this.#log.warn({ err }, 'the database does not answer');
    this.#isOk = false;
  }
}
