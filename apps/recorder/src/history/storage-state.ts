import { EventEmitter, once } from 'node:events';
import type { RecorderLog } from '../process/log.ts';
import { codeOf } from './batch-store.ts';

export class StorageState {
  readonly #log: RecorderLog;
  readonly #events = new EventEmitter().setMaxListeners(0);
  #lastFlushAt: number | null = null;
  #isDatabaseOk = true;
  #isDiskOk = true;

  constructor(log: RecorderLog) {
    this.#log = log;
  }

  get lastFlushAt(): number | null {
    return this.#lastFlushAt;
  }

  get isDatabaseOk(): boolean {
    return this.#isDatabaseOk;
  }

  get isDiskOk(): boolean {
    return this.#isDiskOk;
  }

  async untilChanged(signal: AbortSignal): Promise<void> {
    await once(this.#events, 'changed', { signal }).catch(() => {});
  }

  changed(): void {
    this.#events.emit('changed');
  }

  settled(count: number): void {
    if (count > 0) this.#lastFlushAt = Date.now();
    this.changed();
  }

  answered(result: { readonly error?: unknown }): void {
    const isOk = !('error' in result);
    if (isOk === this.#isDatabaseOk) return;
    this.#isDatabaseOk = isOk;
    const code = codeOf(result.error);
    if (isOk) this.#log.info('resumed storing messages');
    else {
      const message = 'storing messages failed, retrying; messages wait in memory or spool';
      this.#log.warn({ code }, message);
    }
  }

  spooled(): void {
    if (!this.#isDiskOk) this.#log.info('resumed writing to spool');
    this.#isDiskOk = true;
  }

  spoolFailed(err: unknown): void {
    if (this.#isDiskOk)
      this.#log.error({ err }, 'writing to spool failed; messages wait in memory');
    this.#isDiskOk = false;
  }
}
