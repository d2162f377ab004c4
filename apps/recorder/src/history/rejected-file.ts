import { open } from 'node:fs/promises';
import path from 'node:path';

const MAX_BYTES = 16 * 1024 * 1024;

/** The file in the recorder's folder with what never gets into the history, and why: a line of JSON for each. */
export class RejectedFile {
  readonly #path: string;

  constructor(folder: string) {
    this.#path = path.join(folder, 'rejected.jsonl');
  }

  /** Adds what was rejected, unless the file is large. Throws when the disk does not take it. */
  async append(rejected: unknown, reason: { code: string | undefined; message: string }) {
    await using file = await open(this.#path, 'a', 0o600);
    const { size } = await file.stat();
    if (size > MAX_BYTES) throw new Error(`${this.#path} is full: look at it, and remove it`);
    const line = { at: new Date().toISOString(), ...reason, rejected };
    await file.appendFile(`${JSON.stringify(line)}\n`);
    await file.datasync();
  }
}
