const MAX_CALLS_PER_MINUTE = 30;
const MINUTE_MS = 60_000;
const MAX_FAILURES = 3;
const OFF_MS = 60_000;

/** Limits calls: 30 a minute for all tools. After three failures in a row, a tool is off for a minute. */
export class CallLimits {
  readonly #clock: () => number;
  #calls: number[] = [];
  readonly #failures = new Map<string, { readonly count: number; readonly at: number }>();

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  take(tool: string): string | undefined {
    const now = this.#clock();
    const { count = 0, at = 0 } = this.#failures.get(tool) ?? {};
    if (count >= MAX_FAILURES && now - at < OFF_MS) {
      return `${tool} has failed ${count} times in a row and is off for a minute. Do without it.`;
    }
    this.#calls = this.#calls.filter((time) => now - time < MINUTE_MS);
    if (this.#calls.length >= MAX_CALLS_PER_MINUTE) {
      return `Not called: more than ${MAX_CALLS_PER_MINUTE} calls in a minute. Do without it.`;
    }
    this.#calls.push(now);
    return undefined;
  }

  note(tool: string, isFailure: boolean): void {
    const { count = 0 } = this.#failures.get(tool) ?? {};
    if (isFailure) this.#failures.set(tool, { count: count + 1, at: this.#clock() });
    else this.#failures.delete(tool);
  }
}
