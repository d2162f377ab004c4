import { pause } from '@session/kit';
import type { Log } from '../../http/log-stream.ts';

export interface FollowerLoopOptions {
  /**
   * Does the pending work. `more`: there is more, and `gapMs` would only delay it; `look`: there may be more at once; `wait`: not
   * before the next `wake`, or `everyMs`.
   */
  readonly look: () => Promise<'look' | 'more' | 'wait'>;
  readonly everyMs: number;
  readonly gapMs: number;
  readonly stop: AbortSignal;
  readonly log: Log;
  readonly failed: string;
}

export class FollowerLoop {
  readonly #options: FollowerLoopOptions;
  #wake = new AbortController();
  readonly ended: Promise<void>;

  constructor(options: FollowerLoopOptions) {
    this.#options = options;
    options.stop.addEventListener('abort', () => this.wake(), { once: true });
    this.ended = this.#run();
  }

  wake(): void {
    this.#wake.abort();
  }

  async #run(): Promise<void> {
    const { everyMs, failed, gapMs, log, look, stop } = this.#options;
    let hasFailed = false;
    while (!stop.aborted) {
      this.#wake = new AbortController();
      const next = await look().catch((error: unknown) => {
        if (!hasFailed) log.warn({ err: error }, failed);
        return 'failed' as const;
      });
      hasFailed = next === 'failed';
      if (next === 'more') continue;
      await pause(gapMs, stop);
      if (next === 'look') continue;
      // After a failure nobody is in a hurry: not even whom a notification wakes.
      await pause(everyMs, hasFailed ? stop : this.#wake.signal);
    }
  }
}
