const KEY = 'session.theme';

/** The themes that a user can choose; `system` follows the computer. */
export const THEMES = ['system', 'light', 'dark'] as const;
export type ThemeChoice = (typeof THEMES)[number];

/** The theme that the user has chosen in this browser, shared by its tabs. */
export class Theme {
  readonly #storage: Storage;
  readonly #root: HTMLElement;
  readonly #listeners = new Set<() => void>();

  constructor(storage: Storage, root: HTMLElement) {
    this.#storage = storage;
    this.#root = root;
    addEventListener('storage', ({ key }) => {
      if (key === KEY || key === null) this.#apply();
    });
    this.#apply();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Returns the chosen theme. */
  readonly choice = (): ThemeChoice => {
    const kept = this.#storage.getItem(KEY);
    return THEMES.find((theme) => theme === kept) ?? 'system';
  };

  choose(theme: ThemeChoice): void {
    this.#storage.setItem(KEY, theme);
    this.#apply();
  }

  #apply(): void {
    const theme = this.choice();
    if (theme === 'system') delete this.#root.dataset['theme'];
    else this.#root.dataset['theme'] = theme;
    for (const listener of this.#listeners) listener();
  }
}
