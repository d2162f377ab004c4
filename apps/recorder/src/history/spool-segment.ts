import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { type Entry, isLoss, oldestOf, parseEntry } from './queued-message.ts';
import { type Item, shedOldest } from './shed.ts';

const READ_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/** A line of the file. Its size is that of its bytes, the end of the line included. */
export interface Line extends Item {
  readonly text: string;
}

/**
 * One file of the spool: a line of JSON for each entry, in their order. What was appended is on the disk, also when the
 * machine loses its power. A line that was being written when the process died is no line: it has no end.
 */
export class SpoolSegment {
  readonly #path: string;
  #file: FileHandle;
  /** What of the file is dealt with, and how much of it counts. */
  #head = 0;
  #end = 0;
  #isSealed = false;
  #oldestAt: number | undefined;
  #length = 0;
  /** How large the messages of each session are together. */
  readonly #bySession = new Map<string, number>();

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  /** Makes a new file, readable for its owner alone. Throws when there is one. */
  static async create(path: string): Promise<SpoolSegment> {
    return new SpoolSegment(path, await open(path, 'ax+', 0o600));
  }

  /** Takes over what another process has left; nothing more is appended to it. */
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

  /** Whether nothing more may be appended. */
  get isSealed(): boolean {
    return this.#isSealed;
  }

  /** How many entries wait in it. */
  get length(): number {
    return this.#length;
  }

  get sizeBytes(): number {
    return this.#end - this.#head;
  }

  /** Milliseconds since the epoch: nothing in it was received before. */
  get oldestAt(): number | undefined {
    return this.#oldestAt;
  }

  /** How large the messages of each session are together. */
  get bySession(): ReadonlyMap<string, number> {
    return this.#bySession;
  }

  /** Resolves when the lines are on the disk. Throws when it does not take them: then none of them is, and it is sealed. */
  async append(lines: readonly Line[]): Promise<void> {
    try {
      await this.#file.appendFile(lines.map(({ text }) => `${text}\n`).join(''));
      await this.#file.datasync();
    } catch (error) {
      // After a failed write nobody knows what the file holds, and half a line must not spoil the next.
      this.#isSealed = true;
      await this.#file.truncate(this.#end);
      throw error;
    }
    this.#add(lines);
  }

  /** Gives the first lines that are not dealt with: up to `count`, and one at least if there is any. */
  async first(count: number): Promise<Line[]> {
    return (await this.#readAt(this.#head, this.#end)).slice(0, count);
  }

  /** The first lines, as `first` gave them, are dealt with. */
  settle(lines: readonly Line[]): void {
    for (const line of lines) {
      this.#head += line.sizeBytes;
      this.#count(line, -1);
    }
  }

  /**
   * Drops the oldest messages of a session until `bytes` are free or none is left, but none of the first `spared` lines;
   * gives how many it dropped, and how large they were. Throws when the disk does not take the rest.
   */
  async shed(
    what: { sessionId: string; bytes: number },
    spared: number,
  ): Promise<{ count: number; freedBytes: number }> {
    const lines: Line[] = [];
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

  /** Closes and deletes the file. */
  async remove(): Promise<void> {
    await rm(this.#path, { force: true });
    await this.close();
  }

  /** Replaces the file by one with these lines. */
  async #rewrite(lines: readonly Line[]): Promise<void> {
    const draft = `${this.#path}.draft`;
    const file = await open(draft, 'w+', 0o600);
    try {
      await file.appendFile(lines.map(({ text }) => `${text}\n`).join(''));
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
    this.#bySession.clear();
    this.#add(lines);
  }

  /** Gives some whole lines of what lies from `position` to `end`: one at least if there is any. */
  async #readAt(position: number, end: number): Promise<Line[]> {
    for (let chunkBytes = READ_BYTES; ; chunkBytes *= 2) {
      const sizeBytes = Math.min(chunkBytes, end - position);
      const buffer = Buffer.allocUnsafe(sizeBytes);
      const { bytesRead } = await this.#file.read(buffer, 0, sizeBytes, position);
      const lines = linesIn(buffer.subarray(0, bytesRead));
      if (lines.length > 0 || bytesRead < chunkBytes) return lines;
    }
  }

  #add(lines: readonly Line[]): void {
    for (const line of lines) {
      this.#end += line.sizeBytes;
      this.#count(line, 1);
    }
    const oldest = oldestOf(lines.flatMap(({ entry }) => entry ?? []));
    this.#oldestAt = Math.min(this.#oldestAt ?? Number.POSITIVE_INFINITY, oldest ?? Infinity);
  }

  #count({ entry, sizeBytes }: Line, sign: 1 | -1): void {
    this.#length += sign;
    if (!entry || isLoss(entry)) return;
    const { sessionId } = entry;
    const size = (this.#bySession.get(sessionId) ?? 0) + sign * sizeBytes;
    if (size === 0) this.#bySession.delete(sessionId);
    else this.#bySession.set(sessionId, size);
  }
}

/** Gives the line that says that. */
export function lineOf(entry: Entry): Line {
  const text = JSON.stringify(entry);
  return { entry, text, sizeBytes: Buffer.byteLength(text) + 1 };
}

function linesIn(bytes: Buffer): Line[] {
  const lines: Line[] = [];
  let begin = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, begin)) {
    const text = bytes.toString('utf8', begin, end);
    lines.push({ entry: parseEntry(text), text, sizeBytes: end + 1 - begin });
    begin = end + 1;
  }
  return lines;
}
