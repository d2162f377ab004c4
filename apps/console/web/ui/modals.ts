/** The modal dialogs that are open, the topmost last. All that stands outside of the topmost one is inert, and lies below it. */
class Modals {
  readonly #open: HTMLDialogElement[] = [];
  readonly #listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Returns the element in which something can be seen and reached now. */
  readonly getSnapshot = (): HTMLElement => this.#open.at(-1) ?? document.body;

  add(dialog: HTMLDialogElement): void {
    this.#open.push(dialog);
    this.#notify();
  }

  delete(dialog: HTMLDialogElement): void {
    this.#open.splice(this.#open.indexOf(dialog), 1);
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

export const modals = new Modals();
