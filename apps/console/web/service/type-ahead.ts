/** Words are kept for a field for at most this long. */
const LIMIT_MS = 20_000;
/** What has the focus takes the keys itself. */
const FIELDS = 'input, textarea, select, [contenteditable], dialog, [role=menu]';

/**
 * Keeps what the user types between an action that leads to a field and the moment when the field is there. Without it the
 * words would be lost, or do what the keys of a page do.
 */
export class TypeAhead {
  #typed = '';
  #listening: AbortController | undefined;

  /** Begins to keep what is typed outside of fields. */
  begin(): void {
    this.end();
    this.#listening = new AbortController();
    const signal = AbortSignal.any([this.#listening.signal, AbortSignal.timeout(LIMIT_MS)]);
    addEventListener('keydown', (event) => this.#take(event), { capture: true, signal });
  }

  /** Returns what was typed since `begin`, and keeps no more. */
  end(): string {
    this.#listening?.abort();
    const typed = this.#typed;
    this.#typed = '';
    return typed;
  }

  #take(event: KeyboardEvent): void {
    const { key, target, ctrlKey, altKey, metaKey, isComposing } = event;
    if (ctrlKey || altKey || metaKey || isComposing) return;
    if (target instanceof Element && target.closest(FIELDS)) return;
    // Enter would press the button that still has the focus. The words wait to be sent in the field.
    if (key === 'Enter' && this.#typed === '') return;
    if (key === 'Backspace') this.#typed = this.#typed.slice(0, -1);
    else if (key.length === 1) this.#typed += key;
    else if (key !== 'Enter') return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }
}
