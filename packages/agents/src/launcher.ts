import type { AgentRole } from './catalogue.ts';
import type { StopReason } from './stop-reason.ts';

/**
 * The request to a launcher to start a workload of an agent. An agent that is restarted has several workloads, one after
 * the other. A launcher knows nothing of this: workloads with different ids have nothing to do with each other.
 */
export interface LaunchRequest {
  /** Made by `workloadIdOf`. It may be a part of a name in DNS. */
  readonly workloadId: string;
  readonly agentId: string;
  readonly sessionId: string;
  readonly projectId: string;
  readonly role: AgentRole;
  /** The variables of the agent's environment template. Secrets: its keys. */
  readonly templateVariables: Readonly<Record<string, string>>;
  /** The service's own variables, which override those of the template. Secrets: the agent's room token. */
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

/** Why an agent does not run: the reason that it would stop with, and a sentence for its user. */
export interface LaunchProblem {
  readonly reason: StopReason;
  readonly detail: string;
}

export type AgentObservation =
  | { readonly type: 'workload'; readonly workloadId: string; readonly workload: Workload }
  /** Every existing workload has been reported: a workload that was not named is absent. */
  | { readonly type: 'synced' };

/** A line of a program's output, or a piece of a line that was too long. */
export interface OutputLine {
  readonly line: string;
  /** Whether the program's line goes on in the next one of the same stream, because it was cut for its length. */
  readonly isCut?: boolean;
  /** The program's stream, where the launcher can tell its streams apart. */
  readonly stream?: 'stderr' | 'stdout';
}

export interface LogLine extends OutputLine {
  /** Microseconds since 1970. No two lines of one workload's log have the same time. */
  readonly at: number;
}

export interface LogQuery {
  /** Only lines after this time, in microseconds since 1970. */
  readonly since?: number;
  /** Of the lines that exist already, only the last `tail`. */
  readonly tail?: number;
  /** Continue with later lines, until the program has ended and all its lines are read, or `signal` aborts. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

/** Times of an agent's start in ISO 8601, as far as they are known. A cluster may report them to the second only. */
export interface StartTimes {
  /** When a pod was assigned to a node. */
  readonly scheduledAt?: string;
  readonly programStartedAt?: string;
}

/**
 * Starts and stops agents, and reports what it observes, not what that means (`nextState` decides that). Every method may
 * be called again: the caller repeats what failed. Disposal ends the workloads that cannot outlive this process and
 * resolves when they have ended; observers and log readers still receive these ends.
 */
export interface AgentLauncher extends AsyncDisposable {
  /**
   * Creates the agent's process or pod, unless this workload exists already, in any phase. An earlier workload of the
   * same agent may still exist: its later changes, its end and its removal concern only itself.
   *
   * Throws a LaunchRefused when the workload can never be created, and any other error when a retry may succeed. A
   * LaunchDelayed is such an error with the reason that applies if no retry succeeds.
   */
  start(request: LaunchRequest): Promise<void>;
  /**
   * Asks a program to end, and kills it if it still runs after `graceSeconds`. Resolves when the stop is under way;
   * `observe` reports the end. Does nothing for a workload that has ended or is absent.
   *
   * The log may go with the workload: only a reader that already follows the log receives all of it.
   */
  stop(workloadId: string, graceSeconds: number): Promise<void>;
  /**
   * Deletes a workload that has ended, with its log. Does nothing for a workload that runs or is absent. Not part of
   * `stop`: a program that ends by itself at the moment of its stop must still be observed.
   */
  remove(workloadId: string): Promise<void>;
  /**
   * Reports every existing workload, then `synced`, then every change, until `signal` aborts. When it throws, the caller
   * observes again.
   */
  observe(signal: AbortSignal): AsyncIterable<AgentObservation>;
  /** Returns the known times of the workload's start: `{}` when the workload is absent. */
  startTimes(workloadId: string): StartTimes;
  /** Returns the lines of stdout and stderr in order of arrival; no lines when the workload is absent. */
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

/** An agent that can never be started: it stops with this `reason` and `detail`. */
export class LaunchRefused extends LaunchError {
  override readonly name = 'LaunchRefused';
}

/** An agent that cannot be started now: it stops with this `reason` and `detail` unless a retry succeeds in time. */
export class LaunchDelayed extends LaunchError {
  override readonly name = 'LaunchDelayed';
}
