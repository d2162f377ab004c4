/** Functions that are called once after each round of changes, in a microtask. */
export class Listeners {
  readonly #listeners = new Set<() => void>();
  #isNotifying = false;

  /** Adds a listener. Returns a function that ends the subscription. */
  add(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls all listeners soon. More changes until then cause no further call. */
  notify(): void {
    if (this.#isNotifying) return;
    this.#isNotifying = true;
    queueMicrotask(() => {
      this.#isNotifying = false;
      for (const listener of this.#listeners) listener();
    });
  }
}
