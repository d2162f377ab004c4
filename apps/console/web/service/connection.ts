import { createStore } from '@tanstack/react-store';

const PROBE_INTERVAL_MS = 2000;
const PROBE_TIMEOUT_MS = 5000;
const SLOW_MS = 8000;
/** Matches a request that the API may hold open until there is news. */
const WAITS = /[?&]wait=[1-9]/;
const PROXY_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * Whether the API can be reached, judged by the requests of the page, because the browser only reports whether there is any
 * network.
 *
 * - Online: sends no request of its own. A check starts when a request gets no answer or a late one, when a proxy answers
 *   that it does not reach the API, or when the browser reports being offline. A frozen API refuses no request, so without the
 *   check for late answers, the page would notice it only after all retries.
 * - Offline: the check failed. It is repeated until there is an answer, and then `onReturn` is called.
 */
export class Connection {
  readonly #check: (signal: AbortSignal) => Promise<unknown>;
  readonly #onReturn: () => void;
  /** When the API stopped answering; null while it answers. */
  readonly offlineSince = createStore<number | null>(null);
  #checking = false;

  /**
   * `check` makes a small request, and throws when there is no answer. `retryNow` is called on a click, on focus and when the
   * browser is online again. It ends the wait that the requests of a client share between their attempts.
   */
  constructor(
    check: (signal: AbortSignal) => Promise<unknown>,
    onReturn: () => void,
    retryNow: () => void,
  ) {
    this.#check = check;
    this.#onReturn = onReturn;
    addEventListener('offline', () => void this.#checkUntilOnline());
    for (const event of ['click', 'focus', 'online']) {
      addEventListener(event, retryNow, { capture: true });
    }
  }

  readonly fetch: typeof globalThis.fetch = async (...request) => {
    const [input] = request;
    const url = input instanceof Request ? input.url : input.toString();
    const slow = WAITS.test(url)
      ? undefined
      : setTimeout(() => void this.#checkUntilOnline(), SLOW_MS);
    try {
      const response = await globalThis.fetch(...request);
      if (isOfProxy(response)) void this.#checkUntilOnline();
      else this.#answered();
      return response;
    } catch (error) {
      // A request that its caller has ended shows nothing about the connection.
      if (error instanceof TypeError) void this.#checkUntilOnline();
      throw error;
    } finally {
      clearTimeout(slow);
    }
  };

  async #checkUntilOnline(): Promise<void> {
    if (this.#checking) return;
    this.#checking = true;
    const failedAt = Date.now();
    while (!(await this.#isAnswered())) {
      this.offlineSince.setState((since) => since ?? failedAt);
      await this.#untilNextCheck();
    }
    this.#checking = false;
    this.#answered();
  }

  async #isAnswered(): Promise<boolean> {
    try {
      await this.#check(AbortSignal.timeout(PROBE_TIMEOUT_MS));
      return true;
    } catch {
      return false;
    }
  }

  async #untilNextCheck(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, PROBE_INTERVAL_MS);
    const ended = new AbortController();
    addEventListener('online', () => resolve(), { signal: ended.signal });
    await promise;
    ended.abort();
    clearTimeout(timer);
  }

  #answered(): void {
    if (this.offlineSince.state === null) return;
    this.offlineSince.setState(() => null);
    this.#onReturn();
  }
}

/** The API's own 503 is a problem in JSON. The API can then be reached, but is overloaded or lacks something that it needs. */
function isOfProxy({ status, headers }: Response): boolean {
  const isProblem = headers.get('content-type')?.startsWith('application/problem+json') ?? false;
  return PROXY_STATUSES.has(status) && !isProblem;
}
