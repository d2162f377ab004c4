import type { Logger } from 'pino';

/** Whether the database answers this recorder, and for how long it has done so. */
export class DatabaseWatch {
  readonly #log: Pick<Logger, 'info' | 'warn'>;
  readonly #graceMs: number;
  #isOk = false;
  /** When the database last failed, on the process's own clock. What was before the start is unknown, and counts as failed. */
  #failedAt = performance.now();

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
   * recorder has sent a heartbeat again. A recorder that just started waits too: the database may have returned at that
   * moment. It has its own former slots at once, whichever recorder is dead.
   */
  get mayDeclareDead(): boolean {
    return this.graceLeftMs <= 0;
  }

  /** How long no recorder may be declared dead; 0 or less: they may be. */
  get graceLeftMs(): number {
    return this.#failedAt + this.#graceMs - performance.now();
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
