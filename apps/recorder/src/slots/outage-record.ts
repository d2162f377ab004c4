import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { hasCode, repeat } from '@session/kit';
import * as z from 'zod';
import type { RecorderQueries } from '../queries.ts';

export interface KeptInterval {
  readonly sessionId: string;
  readonly id: string;
  readonly fromAt: string;
  readonly keptUntil: string;
  readonly endReason: string;
  readonly notedAt?: string | undefined;
}

const Shape = z.array(
  z.object({
    sessionId: z.uuid(),
    id: z.uuid(),
    fromAt: z.iso.datetime(),
    keptUntil: z.iso.datetime(),
    // Earlier releases wrote neither field.
    endReason: z.string().default('recorder_died'),
    notedAt: z.iso.datetime().optional(),
  }),
);

interface RecordDeps {
  readonly folder: string;
  readonly everyMs: number;
  readonly isNeeded: () => boolean;
  readonly intervals: () => readonly KeptInterval[];
}

/**
 * During an outage, a file contains the time until which everything is kept. If the process ends meanwhile, the next
 * one ends the intervals at that time, so that messages in the spool do not become a gap.
 */
export class OutageRecord implements AsyncDisposable {
  readonly #deps: RecordDeps;
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;
  #isWritten = false;

  constructor(deps: RecordDeps) {
    this.#deps = deps;
    this.#running = repeat(deps.everyMs, this.#ending.signal, () => this.#update());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#running;
    await this.#update();
  }

  async #update(): Promise<void> {
    const { folder, isNeeded, intervals } = this.#deps;
    const file = fileIn(folder);
    // A full disk takes no messages either.
    if (isNeeded()) {
      this.#isWritten = true;
      const draft = `${file}.draft`;
      const text = JSON.stringify(intervals());
      await writeFile(draft, text, { mode: 0o600 })
        .then(() => rename(draft, file))
        .catch(() => {});
    } else if (this.#isWritten) {
      // A disk that takes nothing, or fails, keeps the file for now.
      this.#isWritten = await rm(file, { force: true }).then(
        () => false,
        () => true,
      );
    }
  }
}

/**
 * Ends the intervals that the former process could not end, at the time until which it had kept everything. Extends those that
 * others have meanwhile ended as those of a dead recorder. Returns the ids of the sessions. Throws when the database is away.
 */
export async function endKeptIntervals(
  folder: string,
  recorderId: string,
  queries: Pick<RecorderQueries, 'endKeptInterval' | 'insertInterval'>,
): Promise<string[]> {
  const intervals = await readIntervals(fileIn(folder));
  for (const kept of intervals) {
    const { sessionId, id, fromAt } = kept;
    // The interval may have begun during the outage.
    await queries.insertInterval({ sessionId, id, recorderId, fromAt });
    await queries.endKeptInterval(kept);
  }
  await rm(fileIn(folder), { force: true });
  return intervals.map(({ sessionId }) => sessionId);
}

async function readIntervals(file: string): Promise<KeptInterval[]> {
  try {
    return Shape.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    // A file damaged by a loss of power is ignored, which makes the gap longer than necessary.
    if (hasCode(error, 'ENOENT') || error instanceof SyntaxError || error instanceof z.ZodError) {
      return [];
    }
    throw error;
  }
}

function fileIn(folder: string): string {
  return path.join(folder, 'kept-intervals.json');
}
