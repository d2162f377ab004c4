const KEY = 'session.single-keys';

/**
 * Whether keys without Ctrl or ⌘ do something outside of fields, as the user has chosen in this browser. WCAG 2.1.4 asks for the
 * choice: who speaks to a computer, or strikes keys by accident, would start what they do not want.
 */
export class SingleKeys {
  readonly #storage: Storage;
  readonly #listeners = new Set<() => void>();

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly areOn = (): boolean => this.#storage.getItem(KEY) !== 'off';

  turn(to: 'on' | 'off'): void {
    this.#storage.setItem(KEY, to);
    for (const listener of this.#listeners) listener();
  }
}
