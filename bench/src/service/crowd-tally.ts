import { codeOfFailure } from '../measure/failures.ts';
import type { CrowdReport } from './crowd-job.ts';

interface Counts {
  said: number;
  readonly readableMs: number[];
  readonly answeredMs: number[];
  readonly readsMs: number[];
  readonly unsaid: Record<string, number>;
  readonly failures: Record<string, number>;
}

/** Counts what happens since the last report: so a process needs no more memory the longer it runs. */
export class CrowdTally {
  #now: Counts = empty();

  said(): void {
    this.#now.said += 1;
  }

  /** Adds a time in milliseconds. */
  time(name: 'answeredMs' | 'readableMs' | 'readsMs', ms: number): void {
    this.#now[name].push(ms);
  }

  failed(name: 'failures' | 'unsaid', error: unknown): void {
    const code = codeOfFailure(error);
    this.#now[name][code] = (this.#now[name][code] ?? 0) + 1;
  }

  /** Returns what was counted since the call before. */
  report(): CrowdReport {
    const report = this.#now;
    this.#now = empty();
    return report;
  }
}

function empty(): Counts {
  return { said: 0, readableMs: [], answeredMs: [], readsMs: [], unsaid: {}, failures: {} };
}
