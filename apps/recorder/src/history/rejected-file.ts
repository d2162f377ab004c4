import { open } from 'node:fs/promises';
import path from 'node:path';

const MAX_BYTES = 16 * 1024 * 1024;

/** Why a message was rejected. */
export interface Rejection {
  /** The code of the database's error, if it has one. */
  readonly code: string | undefined;
  readonly message: string;
}

/** The file `rejected.jsonl` in the recorder's folder: what never gets into the history, and why, a line of JSON each. */
export class RejectedFile {
  readonly #path: string;

  constructor(folder: string) {
    this.#path = path.join(folder, 'rejected.jsonl');
  }

  /** Appends what was rejected. Throws when the file is too large, or when the disk does not take the line. */
  async append(rejected: unknown, rejection: Rejection): Promise<void> {
    await using file = await open(this.#path, 'a', 0o600);
    const { size } = await file.stat();
    if (size > MAX_BYTES) throw new Error(`${this.#path} is full: look at it, and remove it`);
    const line = { at: new Date().toISOString(), ...rejection, rejected };
    await file.appendFile(`${JSON.stringify(line)}\n`);
    await file.datasync();
  }
}
