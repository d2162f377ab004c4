import { pause } from '@session/kit';
import type { Log } from '../../http/log-stream.ts';

const RETRY_MS = 1000;

export interface FollowerLoopOptions {
  /**
   * Does the pending work, and returns when to look again. `more`: at once. `look`: after `gapMs`. `wait`: after
   * `gapMs` and then `everyMs`, or earlier when woken.
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
      // After a failure, a notification does not shorten the pause.
      if (hasFailed) await pause(Math.min(everyMs, RETRY_MS), stop);
      else await pause(everyMs, this.#wake.signal);
    }
  }
}
