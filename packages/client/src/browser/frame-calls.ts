/** Calls functions in the next animation frame: for each key, only the latest one. */
export class FrameCalls {
  readonly #calls = new Map<object, () => void>();
  #frame: number | undefined;

  call(key: object, work: () => void): void {
    this.#calls.set(key, work);
    this.#frame ??= requestAnimationFrame(() => this.#run());
  }

  cancel(key: object): void {
    this.#calls.delete(key);
  }

  stop(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
    this.#calls.clear();
  }

  #run(): void {
    this.#frame = undefined;
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    for (const call of calls) call();
  }
}
