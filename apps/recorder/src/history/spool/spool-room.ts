import { stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { hasCode, repeat } from '@session/kit';
import type { Spool } from './spool.ts';

const WINDOW_MS = 60_000;

const EVERY_MS = 500;

interface SpoolRoomDeps {
  readonly folder: string;
  readonly limitBytes: number;
  readonly spool: Spool;
  readonly disk: { readonly isDiskOk: boolean };
  readonly everyMs?: number;
  readonly now?: () => number;
}

export class SpoolRoom implements AsyncDisposable {
  readonly #deps: SpoolRoomDeps;
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;
  #samples: { readonly at: number; readonly grownBytes: number }[] = [];
  #diskBytes = Number.POSITIVE_INFINITY;
  #rejectedBytes = 0;

  constructor(deps: SpoolRoomDeps) {
    this.#deps = deps;
    this.#running = repeat(deps.everyMs ?? EVERY_MS, this.#ending.signal, () => this.#measure());
  }

  get limitBytes(): number {
    return this.#deps.limitBytes;
  }

  get freeBytes(): number {
    const { limitBytes, spool, disk } = this.#deps;
    if (!disk.isDiskOk) return 0;
    return Math.max(0, Math.min(limitBytes - spool.sizeBytes, this.#diskBytes));
  }

  get secondsToFull(): number {
    const { freeBytes } = this;
    if (freeBytes === 0) return 0;
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (!first || !last || last.grownBytes <= first.grownBytes) return Number.POSITIVE_INFINITY;
    const bytesPerMs = (last.grownBytes - first.grownBytes) / (last.at - first.at);
    return freeBytes / bytesPerMs / 1000;
  }

  get rejectedBytes(): number {
    return this.#rejectedBytes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #measure(): Promise<void> {
    const { folder, spool, now = () => performance.now() } = this.#deps;
    const { sizeBytes, grownBytes } = spool;
    const at = now();
    const isRecent = (sample: { readonly at: number }) => at - sample.at <= WINDOW_MS;
    const former = sizeBytes === 0 ? [] : this.#samples.filter(isRecent);
    this.#samples = [...former, { at, grownBytes }];
    this.#diskBytes = await statfs(folder).then(
      ({ bavail, bsize }) => bavail * bsize,
      () => this.#diskBytes,
    );
    this.#rejectedBytes = await stat(path.join(folder, 'rejected.jsonl')).then(
      ({ size }) => size,
      (error: unknown) => (hasCode(error, 'ENOENT') ? 0 : this.#rejectedBytes),
    );
  }
}
