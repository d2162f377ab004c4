const KEY = 'session.token';

/** Why nobody is signed in any more: by the user's wish in this tab or another, or because the API refused the token. */
export type SignOutReason = 'signed-out' | 'elsewhere' | 'expired';

/** The token of the user who is signed in. It is kept in the browser, and shared by its tabs. */
export class SignIn {
  readonly #storage: Storage;
  readonly #listeners = new Set<() => void>();
  #reason: SignOutReason | null = null;

  constructor(storage: Storage) {
    this.#storage = storage;
    addEventListener('storage', ({ key }) => {
      if (key !== KEY && key !== null) return;
      this.#reason = this.token() ? null : 'elsewhere';
      this.#notify();
    });
  }

  /** Returns the token, or null when nobody is signed in. */
  readonly token = (): string | null => this.#storage.getItem(KEY);

  /** Why the last user of this tab is not signed in any more; null when that is not known. */
  get reason(): SignOutReason | null {
    return this.#reason;
  }

  /** Calls `listener` whenever a user signs in or out, in this tab or another. Returns a function that ends this. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Keeps the token of a user who has signed in. */
  accept(token: string): void {
    this.#storage.setItem(KEY, token);
    this.#reason = null;
    this.#notify();
  }

  /** Keeps a token, and tells nobody until `work` is done: what listens would lead away from the page that does it. */
  async acceptDuring(token: string, work: () => Promise<void>): Promise<void> {
    this.#storage.setItem(KEY, token);
    this.#reason = null;
    try {
      await work();
    } finally {
      this.#notify();
    }
  }

  /** Signs out: forgets the token in all tabs. The API still takes it until it expires. */
  forget(): void {
    this.#end('signed-out');
  }

  /** Forgets a token that the API refused. Another tab may have signed in since, and that sign-in is kept. */
  refuse(token: string | null): void {
    if (token === this.token()) this.#end('expired');
  }

  #end(reason: SignOutReason): void {
    this.#storage.removeItem(KEY);
    this.#reason = reason;
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
