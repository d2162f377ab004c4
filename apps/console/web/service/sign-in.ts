const KEY = 'session.token';

/** The token of the user who is signed in. It is kept in the browser, and shared by its tabs. */
export class SignIn {
  readonly #storage: Storage;
  readonly #listeners = new Set<() => void>();

  constructor(storage: Storage) {
    this.#storage = storage;
    addEventListener('storage', ({ key }) => {
      if (key === KEY || key === null) this.#notify();
    });
  }

  /** Returns the token, or null when nobody is signed in. */
  readonly token = (): string | null => this.#storage.getItem(KEY);

  /** Calls `listener` whenever somebody signs in or out, in this tab or another. Returns a function that ends this. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Keeps the token of a user who has signed in. */
  accept(token: string): void {
    this.#storage.setItem(KEY, token);
    this.#notify();
  }

  /** Forgets the token. The API still takes it until it expires. */
  forget(): void {
    this.#storage.removeItem(KEY);
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
