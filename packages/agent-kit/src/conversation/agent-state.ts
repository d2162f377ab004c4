import type { ConversingRoom } from './conversing-room.ts';

/** The attribute in which LiveKit's agents show what they are doing. LiveKit's components display it. */
export const STATE_ATTRIBUTE = 'lk.agent.state';

/**
 * `initializing`: in the room, but not ready yet. `thinking`: a turn has begun, and people hear nothing of its answer yet.
 */
export type AgentActivity = 'initializing' | 'listening' | 'thinking' | 'speaking';

export class StateDisplay {
  readonly #log: (line: string) => void;
  readonly #others: Readonly<Record<string, string>>;
  #room: ConversingRoom | undefined;
  #state: AgentActivity = 'initializing';
  #isSending = false;
  #isSent = false;

  constructor(log: (line: string) => void, others: Readonly<Record<string, string>> = {}) {
    this.#log = log;
    this.#others = others;
  }

  use(room: ConversingRoom): void {
    this.#room = room;
    this.#isSent = false;
    void this.#send();
  }

  show(state: AgentActivity): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#isSent = false;
    void this.#send();
  }

  async #send(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    while (!this.#isSent) {
      this.#isSent = true;
      try {
        await this.#room?.setAttributes({ ...this.#others, [STATE_ATTRIBUTE]: this.#state });
      } catch (error) {
        this.#log(`showing state ${this.#state} failed: ${String(error)}`);
      }
    }
    this.#isSending = false;
  }
}
