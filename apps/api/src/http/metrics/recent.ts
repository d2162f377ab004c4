/** Caches a value for `maxAgeMs`, by the monotonic clock `now`. Only one read runs at a time. A failure is not kept. */
export class Recent<Value> {
  readonly #read: () => Promise<Value>;
  readonly #maxAgeMs: number;
  readonly #now: () => number;
  #reading: Promise<Value> | undefined;
  #last: { readonly value: Value; readonly at: number } | undefined;

  constructor(read: () => Promise<Value>, maxAgeMs: number, now = () => performance.now()) {
    this.#read = read;
    this.#maxAgeMs = maxAgeMs;
    this.#now = now;
  }

  async value(): Promise<Value> {
    if (this.#last && this.#now() - this.#last.at < this.#maxAgeMs) return this.#last.value;
    this.#reading ??= this.#readNow().finally(() => {
      this.#reading = undefined;
    });
    return await this.#reading;
  }

  async #readNow(): Promise<Value> {
    const at = this.#now();
    const value = await this.#read();
    this.#last = { value, at };
    return value;
  }
}
