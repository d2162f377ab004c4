import type { Operation } from './document.ts';
import type { GeneratedRequest } from './generated-request.ts';
import type { Answer } from './send.ts';

export interface FuzzReport {
  readonly sent: number;
  /** How often each status came; 0 is for no answer. */
  readonly statuses: Readonly<Record<string, number>>;
  /** The operations that have succeeded, by their ids. */
  readonly succeeded: readonly string[];
  /** What is wrong, each with the seed and a line for a shell that shows it again. */
  readonly faults: readonly string[];
}

interface Exchange {
  readonly operation: Operation;
  readonly request: GeneratedRequest;
  /** Why there is none, in words. */
  readonly answer: Answer | string;
}

/** What a run has seen. */
export class Tally {
  sent = 0;
  readonly faults: string[] = [];
  readonly #statuses: Record<string, number> = {};
  readonly #succeeded = new Set<string>();

  add({ answer, operation, request }: Exchange, fault: string | undefined): void {
    this.sent += 1;
    if (fault !== undefined) this.faults.push(`request ${this.sent}, ${operation.id}: ${fault}`);
    const status = typeof answer === 'string' ? 0 : answer.status;
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
    const isMeant = request.method === operation.method;
    if (status >= 200 && status < 300 && isMeant) this.#succeeded.add(operation.id);
  }

  report(seed: number): FuzzReport {
    const succeeded = [...this.#succeeded].toSorted();
    const faults = this.faults.map((fault) => `seed ${seed}, ${fault}`);
    return { sent: this.sent, statuses: this.#statuses, succeeded, faults };
  }
}
