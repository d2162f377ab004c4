import { createStore } from '@tanstack/react-store';

const KEY = 'session.token';

/** Why nobody is signed in any more: the user signed out in this tab or in another one, or the API refused the token. */
export type SignOutReason = 'signed-out' | 'elsewhere' | 'expired';

/** The token of the signed-in user. It is kept in the browser, and shared by its tabs. */
export class SignIn {
  readonly #storage: Storage;
  /** Set at each sign-in and sign-out, in this tab or another. The reason is null while a user is signed in, or when it is unknown. */
  readonly changes = createStore<{ readonly reason: SignOutReason | null }>({ reason: null });

  constructor(storage: Storage) {
    this.#storage = storage;
    addEventListener('storage', ({ key }) => {
      if (key === KEY || key === null) this.#report(this.token() ? null : 'elsewhere');
    });
  }

  /**
   * Returns the token, or null when nobody is signed in. Reads it each time, because another tab may have changed it just now.
   */
  readonly token = (): string | null => this.#storage.getItem(KEY);

  get reason(): SignOutReason | null {
    return this.changes.state.reason;
  }

  accept(token: string): void {
    this.#storage.setItem(KEY, token);
    this.#report(null);
  }

  /**
   * Stores a token at once, and reports the sign-in only when `work` is done, because the reaction to it leaves the page that
   * does the work.
   */
  async acceptDuring(token: string, work: () => Promise<void>): Promise<void> {
    this.#storage.setItem(KEY, token);
    try {
      await work();
    } finally {
      this.#report(this.token() ? null : this.reason);
    }
  }

  /** Signs out: removes the token in all tabs. The API still accepts it until `account.signOut`. */
  forget(): void {
    this.#end('signed-out');
  }

  /** Removes a token that the API refused, unless another tab has signed in since. */
  refuse(token: string | null): void {
    if (token === this.token()) this.#end('expired');
  }

  #end(reason: SignOutReason): void {
    this.#storage.removeItem(KEY);
    this.#report(reason);
  }

  #report(reason: SignOutReason | null): void {
    this.changes.setState(() => ({ reason }));
  }
}
