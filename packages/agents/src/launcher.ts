import type { AgentRole } from './catalogue.ts';
import type { StopReason } from './stop-reason.ts';

/** Requests one process or pod for an agent. To a launcher, workloads with different ids are unrelated. */
export interface LaunchRequest {
  /** Made by `workloadIdOf`. Valid as a part of a DNS name. */
  readonly workloadId: string;
  readonly agentId: string;
  readonly sessionId: string;
  readonly projectId: string;
  readonly role: AgentRole;
  readonly templateVariables: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * An agent's process or pod, as its launcher observes it. The phases:
 *
 * waiting: the workload exists, and its program does not run yet. `problem` is the obstacle, which becomes the agent's stop
 * reason if it persists.
 *
 * running: the program runs.
 *
 * ended: the program has ended. `cause` is set when the exit code alone would mislead.
 *
 * absent: there is no workload.
 */
export type Workload =
  | { readonly phase: 'waiting'; readonly problem?: LaunchProblem }
  | { readonly phase: 'running' }
  | {
      readonly phase: 'ended';
      readonly exitCode: number | null;
      readonly cause?: StopReason;
      readonly detail?: string;
    }
  | { readonly phase: 'absent' };

export interface LaunchProblem {
  readonly reason: StopReason;
  readonly detail: string;
}

export type AgentObservation =
  | { readonly type: 'workload'; readonly workloadId: string; readonly workload: Workload }
  /** All existing workloads have been reported. Any others are absent. */
  | { readonly type: 'synced' };

export interface OutputLine {
  readonly line: string;
  readonly isCut?: boolean;
  readonly stream?: 'stderr' | 'stdout';
}

export interface LogLine extends OutputLine {
  /** Microseconds since 1970. No two lines of one workload's log have the same time. */
  readonly at: number;
}

export interface LogQuery {
  /** Only lines after this time, in microseconds since 1970. */
  readonly since?: number;
  readonly tail?: number;
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

/** In ISO 8601, as far as they are known. A cluster may report them only to the second. */
export interface StartTimes {
  readonly scheduledAt?: string;
  readonly programStartedAt?: string;
}

/**
 * Starts and stops agents, and reports what it observes. Every method may be called repeatedly. Disposal ends the workloads
 * that cannot outlive this process. Observers and log readers still receive these ends.
 */
export interface AgentLauncher extends AsyncDisposable {
  /**
   * Creates the process or pod, unless this workload exists in any phase. An earlier workload of the same agent may still
   * exist. Throws a LaunchRefused when the workload can never be created, and any other error when a retry may succeed. A
   * LaunchDelayed carries the stop reason for the case that no retry succeeds.
   */
  start(request: LaunchRequest): Promise<void>;
  /**
   * Asks a program to end, and kills it after `graceSeconds`. Resolves when the stop is under way; `observe` reports the end.
   * Does nothing for an ended or absent workload. The log may be deleted, so only a reader that already follows it receives
   * all of it.
   */
  stop(workloadId: string, graceSeconds: number): Promise<void>;
  /** Deletes an ended workload with its log. Not part of `stop`, because the end must first be observed. */
  remove(workloadId: string): Promise<void>;
  /**
   * Reports every existing workload, then `synced`, then changes, until `signal` aborts. If this method throws, call it
   * again.
   */
  observe(signal: AbortSignal): AsyncIterable<AgentObservation>;
  startTimes(workloadId: string): StartTimes;
  logs(workloadId: string, query?: LogQuery): AsyncIterable<LogLine>;
}

class LaunchError extends Error implements LaunchProblem {
  readonly reason: StopReason;
  readonly detail: string;

  constructor({ reason, detail }: LaunchProblem) {
    super(detail);
    this.reason = reason;
    this.detail = detail;
  }
}

export class LaunchRefused extends LaunchError {
  override readonly name = 'LaunchRefused';
}

export class LaunchDelayed extends LaunchError {
  override readonly name = 'LaunchDelayed';
}
