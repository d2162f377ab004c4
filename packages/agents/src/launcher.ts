import type { AgentRole } from './catalogue.ts';
import type { StopReason } from './stop-reason.ts';

/**
 * The request to start a workload of an agent. A restarted agent has several workloads, one after the other, but a launcher
 * knows nothing of this: workloads with different ids are unrelated.
 */
export interface LaunchRequest {
  /** Made by `workloadIdOf`. It may be a part of a name in DNS. */
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
 * waiting: the workload exists and its program does not run yet. `problem` says why, and becomes the agent's stop reason
 * if the problem persists.
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
  /** Every existing workload has been reported: one that was not named is absent. */
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

/** In ISO 8601, as far as they are known. A cluster may report them to the second only. */
export interface StartTimes {
  readonly scheduledAt?: string;
  readonly programStartedAt?: string;
}

/**
 * Starts and stops agents, and reports what it observes; `nextState` decides what that means. Every method may be called again:
 * the caller repeats what failed. Disposal ends the workloads that cannot outlive this process and resolves when they have
 * ended; observers and log readers still receive these ends.
 */
export interface AgentLauncher extends AsyncDisposable {
  /**
   * Creates the agent's process or pod, unless this workload exists already, in any phase. An earlier workload of the same
   * agent may still exist: its changes, its end and its removal concern only itself.
   *
   * Throws a LaunchRefused when the workload can never be created, and any other error when a retry may succeed. A
   * LaunchDelayed is such an error with the reason that applies if no retry succeeds.
   */
  start(request: LaunchRequest): Promise<void>;
  /**
   * Asks a program to end, and kills it if it still runs after `graceSeconds`. Resolves when the stop is under way; `observe`
   * reports the end. Does nothing for a workload that has ended or is absent.
   *
   * The log may go with the workload: only a reader that already follows the log receives all of it.
   */
  stop(workloadId: string, graceSeconds: number): Promise<void>;
  /**
   * Deletes a workload that has ended, with its log. Does nothing for one that runs or is absent. It is separate from `stop`,
   * because a program that ends by itself at the moment of its stop must still be observed.
   */
  remove(workloadId: string): Promise<void>;
  /**
   * Reports every existing workload, then `synced`, then every change, until `signal` aborts. When it throws, the caller
   * observes again.
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
