/** A request to be sent many times. */
export interface LoadRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly method?: 'POST';
  readonly body?: string;
}

/** What the process that makes the load is asked to do: to send these requests in turn. */
export type LoadJob = {
  readonly address: string;
  readonly requests: readonly LoadRequest[];
  readonly durationMs: number;
} & (
  | { readonly kind: 'flat out'; readonly connections: number }
  /** At fixed times, whether or not the last one is answered: so waiting shows in the latencies. */
  | { readonly kind: 'paced'; readonly perSecond: number }
  /** By so many people, each again and again; a second later when refused with 503. */
  | { readonly kind: 'logins'; readonly people: number }
);

export interface Answer {
  readonly status: number;
  readonly latencyMs: number;
}

export interface LoadResult {
  readonly elapsedMs: number;
  readonly answers: readonly Answer[];
}
