import { mkdir, open, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pLimit from 'p-limit';
import { v7 as uuidv7 } from 'uuid';
import type { QueuedMessage } from '../../message-path.ts';
import { greatestKey, SHED_SHARE } from '../shed.ts';
import { lineOf, type SpoolLine } from './spool-line.ts';
import { type SessionLines, SpoolSegment } from './spool-segment.ts';

const SEGMENTS = 32;
/** With fewer bytes of settled lines, a file still takes new lines. */
const SETTLED_BYTES = 64 * 1024;
const PROBE_BYTES = 16_384;

interface SpoolDeps {
  readonly folder: string;
  readonly limitBytes: number;
  readonly onShed: (sessionId: string, count: number) => void;
}

/**
 * The messages that wait on the disk while the database is away. The next process on the folder begins with them. Past the
 * limit, the oldest of the session with the most bytes are dropped, and a mark takes their place.
 */
export class Spool implements AsyncDisposable {
  readonly #deps: SpoolDeps;
  /** Keeps a file from being rewritten while it is read. */
  readonly #inTurn = pLimit(1);
  #segments: SpoolSegment[] = [];
  #grownBytes = 0;
  /** How many of the first lines are being stored, and must not be dropped. */
  #lent = 0;

  private constructor(deps: SpoolDeps) {
    this.#deps = deps;
  }

  static async open(deps: SpoolDeps): Promise<Spool> {
    const spool = new Spool(deps);
    await mkdir(deps.folder, { recursive: true, mode: 0o700 });
    // The files' names sort by the times at which the files were made.
    const names = (await readdir(deps.folder)).toSorted();
    for (const name of names) {
      const file = path.join(deps.folder, name);
      if (name.endsWith('.draft')) await rm(file);
      if (name.endsWith('.jsonl')) spool.#segments.push(await SpoolSegment.open(file));
    }
    await spool.#removeSettled();
    return spool;
  }

  get length(): number {
    return this.#segments.reduce((sum, { length }) => sum + length, 0);
  }

  get sizeBytes(): number {
    return this.#segments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  }

  /** How many bytes this process has appended, minus the settled ones. Dropped messages still count as appended. */
  get grownBytes(): number {
    return this.#grownBytes;
  }

  get sinceBySession(): ReadonlyMap<string, number> {
    return this.#bySession(({ since }, before = Infinity) => Math.min(since, before));
  }

  get settledSince(): number {
    return Math.min(...this.#segments.map(({ settledSince }) => settledSince));
  }

  has(sessionId: string): boolean {
    return this.#segments.some(({ bySession }) => bySession.has(sessionId));
  }

  hasOther(messages: readonly QueuedMessage[]): boolean {
    const known = new Set(messages.map(({ sessionId }) => sessionId));
    return this.#segments.some(({ bySession }) =>
      [...bySession.keys()].some((sessionId) => !known.has(sessionId)),
    );
  }

  /**
   * Resolves when the messages are on the disk. Throws when the disk takes none of them. In an empty spool, the first
   * `lentCount` messages are lent as if `first` had returned them, because they are being stored now.
   */
  async append(messages: readonly QueuedMessage[], lentCount = 0): Promise<void> {
    const lines = messages.map(lineOf);
    await this.#inTurn(async () => {
      const sizeBytes = lines.reduce((sum, line) => sum + line.sizeBytes, 0);
      if (this.sizeBytes + sizeBytes > this.#deps.limitBytes) await this.#shedSome(sizeBytes);
      const segment = await this.#provideSegment();
      try {
        await segment.append(lines);
        if (lentCount > 0) this.#lent = lentCount;
        this.#grownBytes += sizeBytes;
      } finally {
        await this.#removeSettled();
      }
    });
  }

  async probe(): Promise<void> {
    await mkdir(this.#deps.folder, { recursive: true, mode: 0o700 });
    // The next start removes a remaining draft.
    const file = path.join(this.#deps.folder, 'probe.draft');
    try {
      await writeFile(file, Buffer.alloc(PROBE_BYTES), { mode: 0o600, flush: true });
    } finally {
      await rm(file, { force: true });
    }
  }

  async first(count: number): Promise<SpoolLine[]> {
    return await this.#inTurn(async () => {
      const lines = (await this.#segments[0]?.first(count)) ?? [];
      this.#lent = lines.length;
      return lines;
    });
  }

  async settle(lines: readonly SpoolLine[]): Promise<void> {
    await this.#inTurn(async () => {
      this.#lent = 0;
      this.#segments[0]?.settle(lines);
      for (const { sizeBytes } of lines) this.#grownBytes -= sizeBytes;
      await this.#removeSettled();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#inTurn(async () => {
      for (const segment of this.#segments) await segment.close();
    });
  }

  async #provideSegment(): Promise<SpoolSegment> {
    const last = this.#segments.at(-1);
    if (last && !last.isSealed && !this.#isFull(last)) return last;
    // The folder of a lane is removed when the lane ends, perhaps just now.
    await mkdir(this.#deps.folder, { recursive: true, mode: 0o700 });
    const segment = await SpoolSegment.create(path.join(this.#deps.folder, `${uuidv7()}.jsonl`));
    this.#segments.push(segment);
    // Without this, a loss of power could remove the file's name, and with it the content.
    await using folder = await open(this.#deps.folder);
    await folder.sync();
    return segment;
  }

  #isFull({ settledBytes, sizeBytes }: SpoolSegment): boolean {
    const isMostlySettled = settledBytes > Math.max(sizeBytes, SETTLED_BYTES);
    return isMostlySettled || settledBytes + sizeBytes > this.#deps.limitBytes / SEGMENTS;
  }

  async shed(bytes: number): Promise<number> {
    return await this.#inTurn(() => this.#shedLargest(bytes));
  }

  async #shedSome(sizeBytes: number): Promise<void> {
    const limit = this.#deps.limitBytes * (1 - SHED_SHARE);
    for (;;) {
      const bytes = this.sizeBytes + sizeBytes - limit;
      if (bytes <= 0 || (await this.#shedLargest(bytes)) === 0) return;
    }
  }

  async #shedLargest(bytes: number): Promise<number> {
    const sessionId = this.#largestSession();
    if (sessionId === undefined) return 0;
    const count = await this.#shedSession(sessionId, bytes);
    if (count > 0) this.#deps.onShed(sessionId, count);
    return count;
  }

  async #shedSession(sessionId: string, bytes: number): Promise<number> {
    let count = 0;
    let left = bytes;
    let spared = this.#lent;
    for (const segment of this.#segments) {
      if (left > 0 && segment.bySession.has(sessionId)) {
        const shed = await segment.shed({ sessionId, bytes: left }, spared);
        count += shed.count;
        left -= shed.freedBytes;
      }
      spared = 0;
    }
    return count;
  }

  #largestSession(): string | undefined {
    return greatestKey(this.#bySession(({ sizeBytes }, before = 0) => sizeBytes + before));
  }

  #bySession(add: (lines: SessionLines, before?: number) => number): Map<string, number> {
    const numbers = new Map<string, number>();
    for (const { bySession } of this.#segments) {
      for (const [sessionId, lines] of bySession) {
        numbers.set(sessionId, add(lines, numbers.get(sessionId)));
      }
    }
    return numbers;
  }

  async #removeSettled(): Promise<void> {
    const settled = this.#segments.filter(({ length }) => length === 0);
    this.#segments = this.#segments.filter(({ length }) => length > 0);
    for (const segment of settled) await segment.remove();
  }
}
