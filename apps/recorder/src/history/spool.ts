import { mkdir, open, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import pLimit from 'p-limit';
import { v7 as uuidv7 } from 'uuid';
import type { Entry } from './queued-message.ts';
import { greatestKey } from './shed.ts';
import { type Line, lineOf, SpoolSegment } from './spool-segment.ts';

/** The share of the limit that goes when it is passed: each file that loses something is written anew. */
const SHED_SHARE = 0.1;
const SEGMENTS = 32;

interface SpoolDeps {
  /** The recorder's own folder: the spool is a folder in it. */
  readonly folder: string;
  readonly limitBytes: number;
  /** Is told of what is dropped because it was too much: a loss stands in its place. */
  readonly shed: (sessionId: string, count: number) => void;
}

/**
 * What waits on the disk while the database is away, in the order of its arrival. It outlives the process: the next one
 * on the same folder begins with what the last one has left. Past its limit the oldest messages of the session with the
 * most are dropped.
 */
export class Spool implements AsyncDisposable {
  readonly #deps: SpoolDeps;
  readonly #folder: string;
  /** One thing at a time: what is read must not be written anew meanwhile. */
  readonly #inTurn = pLimit(1);
  #segments: SpoolSegment[] = [];
  /** How many of the first lines are out to be stored. */
  #lent = 0;

  private constructor(deps: SpoolDeps) {
    this.#deps = deps;
    this.#folder = path.join(deps.folder, 'spool');
  }

  /** Opens the spool with all that is left in it. Throws when the folder cannot be used. */
  static async open(deps: SpoolDeps): Promise<Spool> {
    const spool = new Spool(deps);
    await mkdir(spool.#folder, { recursive: true, mode: 0o700 });
    // Their names are in the order of their making.
    const names = (await readdir(spool.#folder)).toSorted();
    for (const name of names) {
      const file = path.join(spool.#folder, name);
      if (name.endsWith('.draft')) await rm(file);
      if (name.endsWith('.jsonl')) spool.#segments.push(await SpoolSegment.open(file));
    }
    await spool.#tidy();
    return spool;
  }

  /** How many entries wait. */
  get length(): number {
    return this.#segments.reduce((sum, { length }) => sum + length, 0);
  }

  get sizeBytes(): number {
    return this.#segments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  }

  /** Milliseconds since the epoch: nothing in it was received before. */
  get oldestAt(): number | undefined {
    const times = this.#segments.flatMap(({ oldestAt }) => oldestAt ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  has(sessionId: string): boolean {
    return this.#segments.some(({ bySession }) => bySession.has(sessionId));
  }

  /** Resolves when the entries are on the disk. Throws when it does not take them: then none of them is. */
  async append(entries: readonly Entry[]): Promise<void> {
    const lines = entries.map(lineOf);
    await this.#inTurn(async () => {
      const sizeBytes = lines.reduce((sum, line) => sum + line.sizeBytes, 0);
      if (this.sizeBytes + sizeBytes > this.#deps.limitBytes) await this.#shedSome(sizeBytes);
      const segment = await this.#provideSegment();
      try {
        await segment.append(lines);
      } finally {
        await this.#tidy();
      }
    });
  }

  /** Gives the first lines, up to `count` of them, and one at least if there is any. They stay until they are settled. */
  async first(count: number): Promise<Line[]> {
    return await this.#inTurn(async () => {
      const lines = (await this.#segments[0]?.first(count)) ?? [];
      this.#lent = lines.length;
      return lines;
    });
  }

  /** The first lines, as `first` gave them, are dealt with. */
  async settle(lines: readonly Line[]): Promise<void> {
    await this.#inTurn(async () => {
      this.#lent = 0;
      this.#segments[0]?.settle(lines);
      await this.#tidy();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#inTurn(async () => {
      for (const segment of this.#segments) await segment.close();
    });
  }

  /** Gives the file that grows: a new one when there is none, or when it is large. */
  async #provideSegment(): Promise<SpoolSegment> {
    const last = this.#segments.at(-1);
    const isLarge = last && last.sizeBytes > this.#deps.limitBytes / SEGMENTS;
    if (last && !last.isSealed && !isLarge) return last;
    const segment = await SpoolSegment.create(path.join(this.#folder, `${uuidv7()}.jsonl`));
    this.#segments.push(segment);
    // Else a loss of power could take the file, and leave what is in it nameless.
    await using folder = await open(this.#folder);
    await folder.sync();
    return segment;
  }

  /** Makes room for `sizeBytes` more. */
  async #shedSome(sizeBytes: number): Promise<void> {
    const limit = this.#deps.limitBytes * (1 - SHED_SHARE);
    for (;;) {
      const bytes = this.sizeBytes + sizeBytes - limit;
      const sessionId = this.#noisiest();
      if (bytes <= 0 || sessionId === undefined) return;
      const count = await this.#shedSession(sessionId, bytes);
      if (count === 0) return;
      this.#deps.shed(sessionId, count);
    }
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

  #noisiest(): string | undefined {
    const sizes = new Map<string, number>();
    for (const { bySession } of this.#segments) {
      for (const [sessionId, size] of bySession) {
        sizes.set(sessionId, (sizes.get(sessionId) ?? 0) + size);
      }
    }
    return greatestKey(sizes);
  }

  /** Removes the files in which nothing waits any more. */
  async #tidy(): Promise<void> {
    const over = this.#segments.filter(({ length }) => length === 0);
    this.#segments = this.#segments.filter(({ length }) => length > 0);
    for (const segment of over) await segment.remove();
  }
}
