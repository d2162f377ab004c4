/** A request that is sent many times. */
export interface LoadRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly method?: 'POST';
  readonly body?: string;
}

/** The job of the load process: send these requests in turn. */
export type LoadJob = {
  readonly address: string;
  readonly requests: readonly LoadRequest[];
  readonly durationMs: number;
} & (
  | { readonly kind: 'flat out'; readonly connections: number }
  /** At fixed times, whether or not the last request is answered: so waiting shows in the latencies. */
  | { readonly kind: 'paced'; readonly perSecond: number }
  /** By `people` users, each of whom logs in again and again, and waits about a second after a 429 or 503. */
  | { readonly kind: 'logins'; readonly people: number }
);

export interface TimedAnswer {
  readonly status: number;
  readonly latencyMs: number;
}

export interface LoadResult {
  readonly elapsedMs: number;
  readonly answers: readonly TimedAnswer[];
}
