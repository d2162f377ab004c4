import type { Logger } from 'pino';
import { codeOf } from './batch-store.ts';
import type { Entry } from './queued-message.ts';
import type { RejectedFile } from './rejected-file.ts';

/** Counts what does not reach the history, and says so in the log, without a word of what was said. */
export class LostMessages {
  readonly #counts = { refused: 0, shed: 0, unsaved: 0 };
  readonly #log: Logger;
  readonly #rejected: Pick<RejectedFile, 'append'>;

  constructor(log: Logger, rejected: Pick<RejectedFile, 'append'>) {
    this.#log = log;
    this.#rejected = rejected;
  }

  /** How many were refused by the database, too much for memory and disk, or, at the end, taken by neither of the two. */
  get counts(): Readonly<Record<'refused' | 'shed' | 'unsaved', number>> {
    return this.#counts;
  }

  /** The oldest messages of a session were dropped: more waits for the database than may. */
  shed(sessionId: string, count: number): void {
    this.#counts.shed += count;
    this.#log.error({ sessionId, count }, 'too much waits for the database: messages are lost');
  }

  /** The database never takes that: an operator finds it in a file. Never rejects. */
  async refuse(entry: Entry, error: unknown): Promise<void> {
    const { sessionId, kind } = entry;
    const code = codeOf(error);
    const id = 'id' in entry ? entry.id : undefined;
    this.#log.error({ id, sessionId, kind, code }, 'the database refuses a message');
    await this.#set(entry, { code, message: String(error) });
  }

  /** A line of the spool makes no sense: the disk has changed it. Never rejects. */
  async refuseLine(line: string): Promise<void> {
    this.#log.error('a line of the spool cannot be read');
    await this.#set(line, { code: undefined, message: 'no message' });
  }

  unsaved(count: number): void {
    this.#counts.unsaved += count;
    this.#log.error({ count }, 'neither the database nor the disk takes them: messages are lost');
  }

  async #set(rejected: unknown, reason: { code: string | undefined; message: string }) {
    this.#counts.refused += 1;
    await this.#rejected.append(rejected, reason).catch((err: unknown) => {
      this.#log.error({ err }, 'a refused message cannot be kept');
    });
  }
}
