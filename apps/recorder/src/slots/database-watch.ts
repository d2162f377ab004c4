import type { RecorderLog } from '../process/log.ts';

export class DatabaseWatch {
  readonly #log: RecorderLog;
  readonly #graceMs: number;
  #isOk = false;
  /** When a round last failed, by the steady clock of this process. The time before the start counts as failed. */
  #failedAt = performance.now();

  constructor(log: RecorderLog, graceMs: number) {
    this.#log = log;
    this.#graceMs = graceMs;
  }

  get isOk(): boolean {
    return this.#isOk;
  }

  /**
   * Whether silent recorders may be declared dead. After a failure of the database all of them look dead until their
   * next heartbeat, and a recorder that just started has not noticed that failure.
   */
  get mayDeclareDead(): boolean {
    return this.graceLeftMs <= 0;
  }

  get graceLeftMs(): number {
    return this.#failedAt + this.#graceMs - performance.now();
  }

  succeeded(): void {
    if (!this.#isOk) this.#log.info('round of slots succeeded');
    this.#isOk = true;
  }

  failed(err: unknown): void {
    this.#failedAt = performance.now();
    if (this.#isOk) this.#log.warn({ err }, 'round of slots failed, retrying');
    this.#isOk = false;
  }
}
