import { createStore } from '@tanstack/react-store';

const KEY = 'session.token';

/** Why nobody is signed in any more: by the user's wish in this tab or another, or because the API refused the token. */
export type SignOutReason = 'signed-out' | 'elsewhere' | 'expired';

/** The token of the user who is signed in. It is kept in the browser, and shared by its tabs. */
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

  /** Returns the token, or null when nobody is signed in. It is read each time: another tab may have changed it just now. */
  readonly token = (): string | null => this.#storage.getItem(KEY);

  get reason(): SignOutReason | null {
    return this.changes.state.reason;
  }

  accept(token: string): void {
    this.#storage.setItem(KEY, token);
    this.#report(null);
  }

  /** Keeps a token, and reports it when `work` is done: what follows a sign-in would lead away from the page that works. */
  async acceptDuring(token: string, work: () => Promise<void>): Promise<void> {
    this.#storage.setItem(KEY, token);
    try {
      await work();
    } finally {
      this.#report(this.token() ? null : this.reason);
    }
  }

  /** Signs out: forgets the token in all tabs. The API still takes it: `account.signOut` ends it. */
  forget(): void {
    this.#end('signed-out');
  }

  /** Forgets a token that the API refused. Another tab may have signed in since, and that sign-in is kept. */
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
