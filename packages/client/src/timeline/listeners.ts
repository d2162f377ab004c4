/** Functions that are called once after each round of changes, in a microtask. */
export class Listeners {
  readonly #listeners = new Set<() => void>();
  #isNotifying = false;

  add(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  notify(): void {
    if (this.#isNotifying) return;
    this.#isNotifying = true;
    queueMicrotask(() => {
      this.#isNotifying = false;
      for (const listener of this.#listeners) {
        try {
          listener();
        } catch (error) {
          // Reported as uncaught, after the other listeners have been called.
          queueMicrotask(() => {
            throw error;
          });
        }
      }
    });
  }
}
