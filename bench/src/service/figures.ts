import { isApiError, isConnectionError } from '@session/client';
import { AppError } from '@session/kit';
import { Latencies } from '../measure/figures.ts';

export type Failures = Readonly<Record<string, number>>;

export interface CrowdReport {
  readonly said: number;
  /** From saying a message until a waiting reader has it. */
  readonly readableMs: readonly number[];
  readonly answeredMs: readonly number[];
  readonly readsMs: readonly number[];
  readonly unsaid: Failures;
  readonly failures: Failures;
}

export function codeOfFailure(error: unknown): string {
  if (isApiError(error) || error instanceof AppError) return error.code;
  if (isConnectionError(error)) return 'connection';
  return error instanceof Error ? error.name : 'unknown';
}

export function sumOfFailures(all: readonly Failures[]): Failures {
  const sum: Record<string, number> = {};
  for (const failures of all) {
    for (const [code, count] of Object.entries(failures)) sum[code] = (sum[code] ?? 0) + count;
  }
  return sum;
}

/** Counts what happens since the last report, so that memory does not grow with time. */
export class CrowdTally {
  #now = emptyCounts();

  said(): void {
    this.#now.said += 1;
  }

  time(name: 'answeredMs' | 'readableMs' | 'readsMs', ms: number): void {
    this.#now[name].push(ms);
  }

  failed(name: 'failures' | 'unsaid', error: unknown): void {
    const code = codeOfFailure(error);
    this.#now[name][code] = (this.#now[name][code] ?? 0) + 1;
  }

  report(): CrowdReport {
    const report = this.#now;
    this.#now = emptyCounts();
    return report;
  }
}

function emptyCounts() {
  return {
    said: 0,
    readableMs: [] as number[],
    answeredMs: [] as number[],
    readsMs: [] as number[],
    unsaid: {} as Record<string, number>,
    failures: {} as Record<string, number>,
  };
}

export class LoadFigures {
  readonly readable = new Latencies();
  readonly answered = new Latencies();
  readonly reads = new Latencies();
  said = 0;
  unsaid: Failures = {};
  readFailures: Failures = {};

  add(report: CrowdReport): void {
    this.said += report.said;
    this.readable.add(...report.readableMs);
    this.answered.add(...report.answeredMs);
    this.reads.add(...report.readsMs);
    this.unsaid = sumOfFailures([this.unsaid, report.unsaid]);
    this.readFailures = sumOfFailures([this.readFailures, report.failures]);
  }
}
