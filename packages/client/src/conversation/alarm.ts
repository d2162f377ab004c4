import { pause } from '../http/pause.ts';

/** Ends waits of a conversation early: those of its requests, and those before the next attempt. */
export class Alarm {
  readonly #closing: AbortSignal;
  #bell = new AbortController();

  constructor(closing: AbortSignal) {
    this.#closing = closing;
  }

  get signal(): AbortSignal {
    return AbortSignal.any([this.#closing, this.#bell.signal]);
  }

  ring(): void {
    this.#bell.abort();
    this.#bell = new AbortController();
  }

  async sleep(ms: number): Promise<void> {
    await pause(ms, this.signal).catch(() => this.#closing.throwIfAborted());
  }
}
