import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { sinceOf } from '../queued-message.ts';
import { shedOldest } from '../shed.ts';
import { lineOf, linesIn, type SpoolLine } from './spool-line.ts';

const READ_BYTES = 1024 * 1024;

export interface SessionLines {
  readonly sizeBytes: number;
  readonly since: number;
}

/**
 * One file of the spool, with a line of JSON for each queued message. Appended lines survive a loss of power; a line
 * without an end is ignored. The lines from `#head` to `#end` are not settled. Nothing is appended to a sealed file:
 * another process left it, it was rewritten, or a write to it failed.
 */
export class SpoolSegment {
  readonly #path: string;
  #file: FileHandle;
  #head = 0;
  #end = 0;
  #isSealed = false;
  #length = 0;
  #settledSince = Infinity;
  readonly #bySession = new Map<string, SessionLines>();

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  static async create(path: string): Promise<SpoolSegment> {
    return new SpoolSegment(path, await open(path, 'ax+', 0o600));
  }

  static async open(path: string): Promise<SpoolSegment> {
    const segment = new SpoolSegment(path, await open(path, 'a+', 0o600));
    segment.#isSealed = true;
    const { size } = await segment.#file.stat();
    for (;;) {
      const lines = await segment.#readAt(segment.#end, size);
      if (lines.length === 0) return segment;
      segment.#add(lines);
    }
  }

  get isSealed(): boolean {
    return this.#isSealed;
  }

  get length(): number {
    return this.#length;
  }

  get sizeBytes(): number {
    return this.#end - this.#head;
  }

  get settledBytes(): number {
    return this.#head;
  }

  get settledSince(): number {
    return this.#settledSince;
  }

  get bySession(): ReadonlyMap<string, SessionLines> {
    return this.#bySession;
  }

  /** Resolves when the lines are on the disk. Seals the file and throws when the disk takes none of them. */
  async append(lines: readonly SpoolLine[]): Promise<void> {
    try {
      await this.#file.appendFile(textOf(lines));
      await this.#file.datasync();
    } catch (error) {
      // After a failed write the end of the file is unknown, and half a line must not damage the next.
      this.#isSealed = true;
      await this.#file.truncate(this.#end);
      throw error;
    }
    this.#add(lines);
  }

  async first(count: number): Promise<SpoolLine[]> {
    return await this.#readAt(this.#head, this.#end, count);
  }

  settle(lines: readonly SpoolLine[]): void {
    for (const line of lines) {
      this.#head += line.sizeBytes;
      const since = line.queued ? sinceOf(line.queued) : -Infinity;
      this.#settledSince = Math.min(this.#settledSince, since);
      this.#count(line, -1);
    }
  }

  /**
   * Drops the oldest messages of a session until `bytes` are free or none is left. Spares the first `spared` lines, which are
   * being stored. Throws when the disk does not take the remaining lines.
   */
  async shed(
    what: { sessionId: string; bytes: number },
    spared: number,
  ): Promise<{ count: number; freedBytes: number }> {
    const lines: SpoolLine[] = [];
    for (let position = this.#head; position < this.#end; ) {
      const read = await this.#readAt(position, this.#end);
      lines.push(...read);
      for (const { sizeBytes } of read) position += sizeBytes;
    }
    const { kept, count, freedBytes } = shedOldest(lines.slice(spared), what, lineOf);
    if (count > 0) await this.#rewrite([...lines.slice(0, spared), ...kept]);
    return { count, freedBytes };
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async remove(): Promise<void> {
    await rm(this.#path, { force: true });
    await this.close();
  }

  async #rewrite(lines: readonly SpoolLine[]): Promise<void> {
    const draft = `${this.#path}.draft`;
    const file = await open(draft, 'w+', 0o600);
    try {
      await file.appendFile(textOf(lines));
      await file.datasync();
      await rename(draft, this.#path);
    } catch (error) {
      await file.close();
      await rm(draft, { force: true });
      throw error;
    }
    await this.#file.close();
    this.#file = file;
    this.#isSealed = true;
    this.#head = 0;
    this.#end = 0;
    this.#length = 0;
    this.#settledSince = Infinity;
    this.#bySession.clear();
    this.#add(lines);
  }

  async #readAt(position: number, end: number, count?: number): Promise<SpoolLine[]> {
    for (let chunkBytes = READ_BYTES; ; chunkBytes *= 2) {
      const sizeBytes = Math.min(chunkBytes, end - position);
      const buffer = Buffer.allocUnsafe(sizeBytes);
      const { bytesRead } = await this.#file.read(buffer, 0, sizeBytes, position);
      const lines = linesIn(buffer.subarray(0, bytesRead), count);
      if (lines.length > 0 || bytesRead < chunkBytes) return lines;
    }
  }

  #add(lines: readonly SpoolLine[]): void {
    for (const line of lines) {
      this.#end += line.sizeBytes;
      this.#count(line, 1);
    }
  }

  #count({ queued, sizeBytes }: SpoolLine, sign: 1 | -1): void {
    this.#length += sign;
    if (!queued) return;
    const { sessionId } = queued;
    const known = this.#bySession.get(sessionId) ?? { sizeBytes: 0, since: Infinity };
    const left = known.sizeBytes + sign * sizeBytes;
    const since = Math.min(known.since, sinceOf(queued));
    if (left === 0) this.#bySession.delete(sessionId);
    else this.#bySession.set(sessionId, { sizeBytes: left, since });
  }
}

function textOf(lines: readonly SpoolLine[]): string {
  return lines.map(({ text }) => `${text}\n`).join('');
}
