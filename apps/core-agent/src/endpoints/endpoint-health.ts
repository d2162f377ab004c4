import type { AgentEvent } from '@session/conversation';
import { agentStateEvent } from '@session/conversation';
import { pause } from '@session/kit';

const RETRY_MS = 30_000;

export interface EndpointHealthOptions {
  readonly reason: 'hearing_lost' | 'voice_lost';
  readonly lost: (error: unknown) => string;
  readonly recovered: string;
  readonly probe: (signal: AbortSignal) => Promise<unknown>;
  readonly report: (event: AgentEvent) => void;
  readonly log: (line: string) => void;
  readonly retryMs?: number | undefined;
}

export class EndpointHealth implements AsyncDisposable {
  readonly #options: EndpointHealthOptions;
  readonly #closing = new AbortController();
  #retrying: Promise<void> | undefined;

  constructor(options: EndpointHealthOptions) {
    this.#options = options;
  }

  get isWorking(): boolean {
    return this.#retrying === undefined;
  }

  failed(error: unknown): void {
    const { reason, lost, log } = this.#options;
    const cause = error instanceof Error ? error.message : String(error);
    log(`${reason}: ${cause}`);
    if (this.#retrying || this.#closing.signal.aborted) return;
    this.#retrying = this.#retry();
    this.#report({ state: 'degraded', reason, message: lost(error) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#retrying;
  }

  async #retry(): Promise<void> {
    const { probe, recovered, retryMs = RETRY_MS } = this.#options;
    const { signal } = this.#closing;
    while (await pause(retryMs, signal)) {
      if (await succeeds(probe(signal))) {
        this.#retrying = undefined;
        this.#report({ state: 'recovered', message: recovered });
        return;
      }
    }
  }

  #report(state: Parameters<typeof agentStateEvent>[1]): void {
    this.#options.report(agentStateEvent(new Date().toISOString(), state));
  }
}

async function succeeds(work: Promise<unknown>): Promise<boolean> {
  return await work.then(
    () => true,
    () => false,
  );
}
