const MAX_TOASTS = 3;
const SHOWN_MS = 6000;

export interface ToastOptions {
  /** `warning` stays until it is dismissed. */
  readonly tone?: 'note' | 'warning';
}

export interface Toast extends ToastOptions {
  readonly id: number;
  readonly text: string;
}

/** The toasts that are shown, the newest last. */
class Toasts {
  #shown: readonly Toast[] = [];
  #lastId = 0;
  readonly #timers = new Map<number, ReturnType<typeof setTimeout>>();
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
    if (options.tone === 'warning') return;
    const timer = setTimeout(() => this.dismiss(added.id), SHOWN_MS);
    this.#timers.set(added.id, timer);
  }

  dismiss(id: number): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
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
