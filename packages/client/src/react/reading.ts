import { isRefusal } from '../http/api-error.ts';
import { pause } from '../http/pause.ts';
import { Listeners } from '../timeline/listeners.ts';

export interface ReadingSnapshot<Value> {
  readonly value: Value | undefined;
  readonly error: unknown;
}

const RETRY_MS = 4000;

/**
 * A value that is read while anyone subscribes, until a read succeeds, or with `pauseMs` repeatedly after each pause. After a
 * refusal, the value is read again only on `refresh` or a new first subscription.
 */
export class Reading<Value> {
  readonly #read: (signal: AbortSignal) => Promise<Value>;
  readonly #pauseMs: ((value: Value | undefined) => number) | undefined;
  readonly #listeners = new Listeners();
  #snapshot: ReadingSnapshot<Value> = { value: undefined, error: null };
  #subscribers = 0;
  #current = new AbortController();

  constructor(
    read: (signal: AbortSignal) => Promise<Value>,
    pauseMs?: (value: Value | undefined) => number,
  ) {
    this.#read = read;
    this.#pauseMs = pauseMs;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    const leave = this.#listeners.add(listener);
    this.#subscribers += 1;
    if (this.#subscribers === 1) this.refresh();
    return () => {
      leave();
      this.#subscribers -= 1;
      if (this.#subscribers === 0) this.#current.abort();
    };
  };

  readonly getSnapshot = (): ReadingSnapshot<Value> => this.#snapshot;

  readonly refresh = (): void => {
    this.#current.abort();
    if (this.#subscribers === 0) return;
    this.#current = new AbortController();
    const { signal } = this.#current;
    this.#follow(signal).catch((error: unknown) => {
      if (!signal.aborted) this.#set({ ...this.#snapshot, error });
    });
  };

  async #follow(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#readOnce(signal);
      const { value, error } = this.#snapshot;
      if (!this.#pauseMs && error === null) return;
      await pause(this.#pauseMs?.(value) ?? RETRY_MS, signal);
    }
  }

  async #readOnce(signal: AbortSignal): Promise<void> {
    try {
      const value = await this.#read(signal);
      if (!signal.aborted) this.#set({ value, error: null });
    } catch (error) {
      if (signal.aborted || isRefusal(error)) throw error;
      this.#set({ ...this.#snapshot, error });
    }
  }

  #set(snapshot: ReadingSnapshot<Value>): void {
    this.#snapshot = snapshot;
    this.#listeners.notify();
  }
}
