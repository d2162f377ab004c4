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
  #ending = new AbortController();
  /** Aborted when no more is kept. */
  #signal: AbortSignal | undefined;

  /** Runs `work`, which leads to a field, and keeps what is typed outside of fields from its begin until `end`, or its failure. */
  async during(work: () => Promise<void>): Promise<void> {
    this.#begin();
    try {
      await work();
    } catch (error) {
      this.end();
      throw error;
    }
  }

  /** Returns what was typed meanwhile, and keeps no more. */
  end(): string {
    this.#ending.abort();
    this.#ending = new AbortController();
    const typed = this.#typed;
    this.#typed = '';
    return typed;
  }

  #begin(): void {
    // Work within work goes on with what was typed.
    if (this.#signal?.aborted === false) return;
    this.end();
    const { signal } = this.#ending;
    this.#signal = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
    addEventListener('keydown', (event) => this.#take(event), {
      capture: true,
      signal: this.#signal,
    });
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
