const MAX_TOASTS = 3;

export interface ToastOptions {
  /** `warning` stays until it is dismissed. */
  readonly tone?: 'note' | 'warning';
  readonly action?: { readonly label: string; readonly onSelect: () => void };
}

export interface Toast extends ToastOptions {
  readonly id: number;
  readonly text: string;
}

/** The toasts that are shown, the newest last. */
class Toasts {
  #shown: readonly Toast[] = [];
  #lastId = 0;
  readonly #listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly getSnapshot = (): readonly Toast[] => this.#shown;

  add(text: string, options: ToastOptions): void {
    this.#lastId += 1;
    const added: Toast = { ...options, text, id: this.#lastId };
    this.#show([...this.#shown.filter((other) => other.text !== text), added].slice(-MAX_TOASTS));
  }

  dismiss(id: number): void {
    this.#show(this.#shown.filter((shown) => shown.id !== id));
  }

  #show(toasts: readonly Toast[]): void {
    this.#shown = toasts;
    for (const listener of this.#listeners) listener();
  }
}

export const toasts = new Toasts();

/** Shows a sentence at the edge of the window for six seconds, for what happened elsewhere than where the user looks. */
export function toast(text: string, options: ToastOptions = {}): void {
  toasts.add(text, options);
}
