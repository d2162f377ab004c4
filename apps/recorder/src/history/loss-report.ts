import type { QueuedMessage } from '../message-path.ts';
import type { RecorderLog } from '../process/log.ts';
import { codeOf } from './batch-store.ts';
import type { RejectedFile, Rejection } from './rejected/rejected-file.ts';

export class LossReport {
  readonly #counts = { refused: 0, shed: 0, unsaved: 0 };
  readonly #log: RecorderLog;
  readonly #rejectedFile: Pick<RejectedFile, 'append'>;

  constructor(log: RecorderLog, rejectedFile: Pick<RejectedFile, 'append'>) {
    this.#log = log;
    this.#rejectedFile = rejectedFile;
  }

  /**
   * `refused`: the database refused them for good, or their line in the spool cannot be read. `shed`: dropped at the limit of
   * the queue, the spool or the lanes. `unsaved`: at the end, neither the database nor the disk stored them.
   */
  get counts(): Readonly<Record<'refused' | 'shed' | 'unsaved', number>> {
    return this.#counts;
  }

  shed(sessionId: string, count: number): void {
    this.#counts.shed += count;
    this.#log.error({ sessionId, count }, 'messages lost: too many waited for database');
  }

  async refuse(queued: QueuedMessage, error: unknown): Promise<void> {
    const { sessionId, kind } = queued;
    const code = codeOf(error);
    const id = 'id' in queued ? queued.id : undefined;
    this.#log.error({ id, sessionId, kind, code }, 'database refused message');
    await this.#keep(queued, { code, message: String(error) });
  }

  async refuseLine(line: string): Promise<void> {
    this.#log.error('skipping unreadable spool line');
    await this.#keep(line, { code: undefined, message: 'not a message' });
  }

  unsaved(count: number): void {
    this.#counts.unsaved += count;
    this.#log.error({ count }, 'messages lost: neither database nor disk stored them');
  }

  async #keep(rejected: unknown, rejection: Rejection): Promise<void> {
    this.#counts.refused += 1;
    await this.#rejectedFile.append(rejected, rejection).catch((err: unknown) => {
      this.#log.error({ err }, 'writing refused message to rejected.jsonl failed');
    });
  }
}
