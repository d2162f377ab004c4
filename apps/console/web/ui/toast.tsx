import { createStore } from '@tanstack/react-store';

const MAX_TOASTS = 3;
const SHOWN_MS = 6000;

export interface ToastOptions {
  /** `note` stays for `SHOWN_MS`, `warning` until it is dismissed. Of more than `MAX_TOASTS`, the newest are shown. */
  readonly tone?: 'note' | 'warning';
}

export interface Toast extends ToastOptions {
  readonly id: number;
  readonly text: string;
}

interface Toasts {
  readonly shown: readonly Toast[];
  readonly lastId: number;
}

export const toasts = createStore<Toasts>({ shown: [], lastId: 0 });

/** Shows a sentence at the edge of the window, for events outside of what the user looks at. */
export function toast(text: string, options: ToastOptions = {}): void {
  const id = toasts.state.lastId + 1;
  toasts.setState(({ shown }) => {
    const others = shown.filter((other) => other.text !== text);
    return { shown: [...others, { ...options, text, id }].slice(-MAX_TOASTS), lastId: id };
  });
  if (options.tone !== 'warning') setTimeout(() => dismiss(id), SHOWN_MS);
}

export function dismiss(id: number): void {
  toasts.setState(({ shown, lastId }) => ({ shown: shown.filter((one) => one.id !== id), lastId }));
}
