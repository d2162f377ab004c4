import type { Conversation } from '../conversation/conversation.ts';
import { Listeners } from '../timeline/listeners.ts';

/**
 * A conversation that is open while anyone subscribes. A subscription after the last one has ended creates a new conversation,
 * because React's strict mode subscribes, unsubscribes and subscribes again.
 */
export class MountedConversation {
  readonly #create: () => Conversation;
  readonly #listeners = new Listeners();
  #subscribers = 0;
  #current: Conversation | undefined;

  constructor(create: () => Conversation) {
    this.#create = create;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    const leave = this.#listeners.add(listener);
    this.#subscribers += 1;
    if (!this.#current) this.#open();
    return () => {
      leave();
      this.#subscribers -= 1;
      if (this.#subscribers === 0) this.#close();
    };
  };

  readonly getSnapshot = (): Conversation | undefined => this.#current;

  #open(): void {
    this.#current = this.#create();
    // The timeline's snapshot contains the refusal.
    this.#current.open().catch(() => {});
    this.#listeners.notify();
  }

  #close(): void {
    void this.#current?.close();
    this.#current = undefined;
    this.#listeners.notify();
  }
}
