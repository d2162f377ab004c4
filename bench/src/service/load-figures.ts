import { type Failures, sumOfFailures } from '../measure/failures.ts';
import { Latencies } from '../measure/latencies.ts';
import type { CrowdReport } from './crowd-job.ts';

/** What people and readers got, from all reports together. */
export class LoadFigures {
  /** From saying a message until a waiting reader has it, and until the agent's answer is in the room; and of reads. */
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
