import type { Operation } from './document.ts';
import type { GeneratedRequest } from './generated-request.ts';
import type { Answer } from './send.ts';

export interface FuzzReport {
  readonly sent: number;
  /** How many answers had each status; 0 stands for requests without an answer. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly succeeded: readonly string[];
  readonly faults: readonly string[];
}

interface Exchange {
  readonly operation: Operation;
  readonly request: GeneratedRequest;
  /** A string says why there is no answer. */
  readonly answer: Answer | string;
}

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
    const matchesOperation = request.method === operation.method;
    if (status >= 200 && status < 300 && matchesOperation) this.#succeeded.add(operation.id);
  }

  report(seed: number): FuzzReport {
    const succeeded = [...this.#succeeded].toSorted();
    const faults = this.faults.map((fault) => `seed ${seed}, ${fault}`);
    return { sent: this.sent, statuses: this.#statuses, succeeded, faults };
  }
}
