import { pause } from '@session/kit';
import pRetry, { type Options } from 'p-retry';
import * as z from 'zod';
import { ApiError, hasStatus } from './api-error.ts';
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
  /** How long a list is trusted: a change that was missed shows then at the latest. */
  readonly relistMs: number;
  /** Before the second attempt; longer each time, and up to twice as long at random. */
  readonly retryMs: number;
  readonly longestRetryMs: number;
}

export const WATCH_TIMING: WatchTiming = {
  relistMs: 300_000,
  retryMs: 200,
  longestRetryMs: 10_000,
};

/** What is told of pods: all that stand, again with each list, and between lists what changes. */
export interface PodListener {
  /** Before a list is asked for: what is made from now on may be missing in it, and is not gone for that. */
  listing(): void;
  listed(pods: readonly Pod[]): void;
  changed(pod: Pod): void;
  /** With the pod as it was last. */
  deleted(pod: Pod): void;
  failed(error: unknown): void;
}

export interface PodWatchOptions {
  readonly api: ApiServer;
  /** Of the collection: `/api/v1/namespaces/agents/pods`. */
  readonly pathname: string;
  readonly selector: string;
  readonly listener: PodListener;
  readonly timing: WatchTiming;
}

/**
 * Tells a listener of pods. Its states:
 *
 * Listing: all pods are asked for. A failure is told, and the next attempt waits, longer each time. Then it is watching.
 *
 * Watching: each change is told as it comes. A watch that is cut off is taken up where it was left. After five minutes,
 * or when the server cannot go on from there (410, as the answer's status or within an answer of 200), it is listing.
 */
export class PodWatch implements AsyncDisposable {
  readonly #options: PodWatchOptions;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  /** Where to go on: all before it has been told. */
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
    listener.listing();
    const list = PodList.parse(await api.call('GET', `${pathname}?${this.#query}`));
    this.#version = list.metadata.resourceVersion;
    listener.listed(list.items);
  }

  /** Returns when it is time for a new list. */
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

  /** Tells the changes of one watch. Returns when it ends, and throws when it did without a single one. */
  async #follow(until: AbortSignal): Promise<void> {
    const { api, pathname } = this.#options;
    const query = `${this.#query}&watch=true&allowWatchBookmarks=true&resourceVersion=${this.#version}`;
    let hasTold = false;
    try {
      for await (const line of textLines(await api.open(`${pathname}?${query}`, until))) {
        this.#take(Change.parse(JSON.parse(line)));
        hasTold = true;
      }
    } catch (error) {
      if (!hasTold || error instanceof ApiError) throw error;
    }
    if (!hasTold) throw new Error('the watch ended, and had told nothing');
  }

  #take(change: z.output<typeof Change>): void {
    const { listener } = this.#options;
    // Whatever it is, a list is the way out of it; without a code too.
    if (change.type === 'ERROR') throw new ApiError(410, change.object);
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
      maxTimeout: timing.longestRetryMs,
      randomize: true,
      signal,
      shouldRetry: ({ error }) => !hasStatus(error, 410),
      onFailedAttempt: ({ error, attemptNumber }) => {
        // The first new attempt is all that most failures need.
        if (attemptNumber > 1 && !signal.aborted) listener.failed(error);
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }
}
