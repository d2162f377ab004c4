import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { pause } from '@session/kit';

const run = promisify(execFile);
const POLL_MS = 1000;

export class MemoryPeak implements AsyncDisposable {
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;
  #peakMb = 0;

  constructor(pids: () => Promise<Readonly<Record<string, number>>>) {
    this.#running = this.#run(pids);
  }

  get peakMb(): number {
    return this.#peakMb;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #run(pids: () => Promise<Readonly<Record<string, number>>>): Promise<void> {
    while (await pause(POLL_MS, this.#ending.signal)) {
      const all = Object.entries(await pids());
      const recorders = all.flatMap(([name, pid]) => (name.startsWith('recorder') ? pid : []));
      // The command fails when one of the processes has just ended.
      const { stdout } = await run('ps', ['-o', 'rss=', '-p', recorders.join()]).catch(() => ({
        stdout: '',
      }));
      const sizes = stdout.split('\n').map((line) => Math.round(Number(line) / 1024));
      this.#peakMb = Math.max(this.#peakMb, ...sizes);
    }
  }
}
