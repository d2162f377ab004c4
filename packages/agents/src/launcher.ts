import type { AgentType } from './catalogue.ts';
import type { StopReason } from './stop-reason.ts';

/** What a launcher needs to know of an agent that is to run. */
export interface AgentLaunch {
  readonly agentId: string;
  readonly sessionId: string;
  readonly projectId: string;
  readonly type: AgentType;
  /** All that the agent is told. A secret: it holds its room token and keys. */
  readonly env: Readonly<Record<string, string>>;
}

/** An agent's process or pod, as a launcher sees it. */
export type Workload =
  /** It is there and its program does not run yet; `problem` is why, and what it is called if that never changes. */
  | { readonly phase: 'waiting'; readonly problem?: Problem }
  | { readonly phase: 'running' }
  /** Its program has ended. `cause` is set when the exit code alone would tell the wrong story. */
  | {
      readonly phase: 'ended';
      readonly exitCode: number | null;
      readonly cause?: StopReason;
      readonly detail?: string;
    }
  | { readonly phase: 'absent' };

export interface Problem {
  readonly reason: StopReason;
  readonly detail: string;
}

export type AgentObservation =
  | { readonly type: 'workload'; readonly agentId: string; readonly workload: Workload }
  /** All that stands has been told: who has not been named is absent. */
  | { readonly type: 'synced' };

export interface LogLine {
  /** Microseconds since 1970, never the same twice in one agent's log. */
  readonly at: number;
  readonly line: string;
}

export interface LogQuery {
  /** Only lines after this time, in microseconds since 1970. */
  readonly since?: number;
  /** At first only the last so many lines. */
  readonly tail?: number;
  /** Go on with the lines to come, until the program has ended and all its lines are told, or `signal` aborts. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

/** When steps of an agent's start were, in ISO 8601; only what is known. Where it runs, that may be to the second. */
export interface StartTimes {
  /** When it got a place to run: of a pod, its node. */
  readonly scheduledAt?: string;
  readonly programStartedAt?: string;
}

/**
 * Runs agents somewhere, and tells how they do: what it sees, not what that means. Everything can be asked again; the
 * caller repeats what failed. Its disposal ends what cannot outlive this process, and resolves when that has ended; observers
 * and readers of logs are told still.
 */
export interface AgentLauncher extends AsyncDisposable {
  /**
   * Makes the agent's process or pod, unless it is there already, in whatever phase. Throws a LaunchRefused when it can
   * never be made, any other error when it is worth another try: a LaunchDelayed when it is known what it is called if
   * that never changes.
   */
  start(launch: AgentLaunch): Promise<void>;
  /**
   * Asks a program to end, and kills it when it has not after `graceSeconds`; resolves when that is under way, and
   * `observe` tells the end. It may take the log with it: only who follows that already has all of it. Nothing to do for
   * one that has ended, or is absent.
   */
  stop(agentId: string, graceSeconds: number): Promise<void>;
  /**
   * Forgets a program that has ended, and its log. Not part of `stop`: one that ends at the very moment at which it is
   * stopped must still be seen. Nothing to do for one that runs, or is absent.
   */
  remove(agentId: string): Promise<void>;
  /** Tells what stands now, then `synced`, then every change, until `signal` aborts. May throw: then observe anew. */
  observe(signal: AbortSignal): AsyncIterable<AgentObservation>;
  /** Gives when the steps of the agent's start were, as far as they are known now: `{}` when it is absent. */
  startTimes(agentId: string): StartTimes;
  /** Gives the lines of stdout and stderr, in the order of their coming; none when the agent is absent. */
  logs(agentId: string, query?: LogQuery): AsyncIterable<LogLine>;
}

class LaunchProblem extends Error implements Problem {
  readonly reason: StopReason;
  readonly detail: string;

  constructor({ reason, detail }: Problem) {
    super(detail);
    this.reason = reason;
    this.detail = detail;
  }
}

/** An agent that cannot be started, now or later: its `reason` and `detail` are its end. */
export class LaunchRefused extends LaunchProblem {
  override readonly name = 'LaunchRefused';
}

/** An agent that cannot be started now: its `reason` and `detail` are its end, if it cannot in time. */
export class LaunchDelayed extends LaunchProblem {
  override readonly name = 'LaunchDelayed';
}
