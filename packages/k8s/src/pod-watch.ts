import { pause } from '@session/kit';
import pRetry, { type Options } from 'p-retry';
import * as z from 'zod';
import { ApiServerError, hasStatus } from './api-error.ts';
import type { ApiServer } from './api-server.ts';
import { Pod } from './pod.ts';
import { textLines } from './text-lines.ts';

const PodList = z.object({
  metadata: z.object({ resourceVersion: z.string() }),
  items: z.array(Pod),
});
const Change = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['ADDED', 'MODIFIED', 'DELETED']), object: Pod }),
  z.object({
    type: z.literal('BOOKMARK'),
    object: z.object({ metadata: z.object({ resourceVersion: z.string() }) }),
  }),
  z.object({ type: z.literal('ERROR'), object: z.looseObject({ code: z.number().optional() }) }),
]);

export interface WatchTiming {
  /** How long a list is trusted. The next list finds changes that the watch missed. */
  readonly relistMs: number;
  readonly retryMs: number;
  readonly maxRetryMs: number;
}

export const WATCH_TIMING: WatchTiming = {
  relistMs: 300_000,
  retryMs: 200,
  maxRetryMs: 10_000,
};

export interface PodListener {
  /** Called before each list request. A pod created later may be absent from that list without having been deleted. */
  listing(): void;
  listed(pods: readonly Pod[]): void;
  changed(pod: Pod): void;
  deleted(pod: Pod): void;
  failed(error: unknown): void;
}

export interface PodWatchOptions {
  readonly api: ApiServer;
  readonly pathname: string;
  readonly selector: string;
  readonly listener: PodListener;
  readonly timing: WatchTiming;
}

/**
 * Lists and watches pods, and reports them to a listener. Its states:
 *
 * Listing: all pods are requested. Failures are reported from the second in a row on, and the delay before each retry grows up
 * to a limit. A list leads to watching.
 *
 * Watching: each change is reported when it arrives. A broken watch resumes after its last change. After five minutes, or when
 * the server cannot resume there (410, as the response's status or as an event in a response with 200), it lists again.
 */
export class PodWatch implements AsyncDisposable {
  readonly #options: PodWatchOptions;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  #version = '';

  constructor(options: PodWatchOptions) {
    this.#options = options;
    this.#done = this.#run();
  }

  async #run(): Promise<void> {
    const { timing, listener } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await pRetry(() => this.#list(), this.#retry(signal));
        await this.#watch(AbortSignal.any([signal, AbortSignal.timeout(timing.relistMs)]));
      } catch (error) {
        if (signal.aborted) return;
        listener.failed(error);
        await pause(timing.retryMs, signal);
      }
    }
  }

  async #list(): Promise<void> {
    const { api, pathname, listener } = this.#options;
    const { signal } = this.#stop;
    listener.listing();
    const list = PodList.parse(await api.call('GET', `${pathname}?${this.#query}`, { signal }));
    this.#version = list.metadata.resourceVersion;
    listener.listed(list.items);
  }

  async #watch(until: AbortSignal): Promise<void> {
    while (!until.aborted) {
      try {
        await pRetry(() => this.#follow(until), this.#retry(until));
      } catch (error) {
        if (until.aborted || hasStatus(error, 410)) return;
        throw error;
      }
    }
  }

  async #follow(until: AbortSignal): Promise<void> {
    const { api, pathname } = this.#options;
    const query = `${this.#query}&watch=true&allowWatchBookmarks=true&resourceVersion=${this.#version}`;
    let hasReported = false;
    try {
      for await (const line of textLines(await api.open(`${pathname}?${query}`, until))) {
        this.#report(Change.parse(JSON.parse(line)));
        hasReported = true;
      }
    } catch (error) {
      if (!hasReported || error instanceof ApiServerError) throw error;
    }
    if (!hasReported) throw new Error('the watch ended without any change');
  }

  #report(change: z.output<typeof Change>): void {
    const { listener } = this.#options;
    // A new list resolves every error in a watch, even one without a code.
    if (change.type === 'ERROR') throw new ApiServerError(410, change.object);
    if (change.type === 'DELETED') listener.deleted(change.object);
    else if (change.type !== 'BOOKMARK') listener.changed(change.object);
    this.#version = change.object.metadata.resourceVersion;
  }

  get #query(): string {
    return `labelSelector=${encodeURIComponent(this.#options.selector)}`;
  }

  #retry(signal: AbortSignal): Options {
    const { timing, listener } = this.#options;
    return {
      retries: Number.POSITIVE_INFINITY,
      minTimeout: timing.retryMs,
      maxTimeout: timing.maxRetryMs,
      randomize: true,
      signal,
      shouldRetry: ({ error }) => !hasStatus(error, 410),
      onFailedAttempt: ({ error, attemptNumber }) => {
        // Most failures are over at the first retry.
        if (attemptNumber > 1 && !signal.aborted) listener.failed(error);
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }
}
