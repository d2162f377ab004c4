import type { AdminClient, AgentLogEvent } from '@session/client/admin';
import { createStore } from '@tanstack/react-store';
import { NO_LINES, type ShownLines, withEvents } from './log-lines.ts';

const FIRST_LINES = 5000;
const SHOW_MS = 80;

export interface LogSnapshot extends ShownLines {
  /**
   * `connecting`: no line yet. `following`: lines are shown as they are written. `complete`: the agent has stopped, and all
   * lines are shown. `failed`: the API refused, or did not answer.
   */
  readonly state: 'connecting' | 'following' | 'complete' | 'failed';
  readonly error: unknown;
}

const EMPTY: LogSnapshot = { ...NO_LINES, state: 'connecting', error: null };

/** The SDK continues after a broken connection without repeating a line. */
export class LogFollower {
  readonly #client: AdminClient;
  readonly #agentId: string;
  readonly log = createStore<LogSnapshot>(EMPTY);
  #reading: AbortController | undefined;
  #arrived: AgentLogEvent[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(client: AdminClient, agentId: string) {
    this.#client = client;
    this.#agentId = agentId;
  }

  readonly start = (): void => {
    this.stop();
    this.log.setState(() => EMPTY);
    this.#reading = new AbortController();
    void this.#read(this.#reading.signal);
  };

  readonly stop = (): void => {
    this.#reading?.abort();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#arrived = [];
  };

  async #read(signal: AbortSignal): Promise<void> {
    try {
      const options = { follow: true, tail: FIRST_LINES, signal } as const;
      for await (const event of this.#client.agents.logs(this.#agentId, options)) {
        if (signal.aborted) return;
        this.#arrived.push(event);
        this.#timer ??= setTimeout(() => this.#showArrived('following'), SHOW_MS);
      }
      if (!signal.aborted) this.#showArrived('complete');
    } catch (error) {
      if (signal.aborted) return;
      this.#showArrived('failed');
      this.log.setState((log) => ({ ...log, error }));
    }
  }

  #showArrived(state: LogSnapshot['state']): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const lines = withEvents(this.log.state, this.#arrived);
    this.#arrived = [];
    this.log.setState(() => ({ ...lines, state, error: null }));
  }
}
