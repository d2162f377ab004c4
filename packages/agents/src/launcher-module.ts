import type { AgentRole } from './catalogue.ts';
import type { AgentLaunch, AgentLauncher } from './launcher.ts';
import type { Command } from './programs.ts';

/**
 * One way to run agents: processes, pods, or a way of another package. The API has a list of these modules, and the
 * variable `AGENT_LAUNCHER` chooses one of them by name.
 */
export interface LauncherModule {
  /** The value of `AGENT_LAUNCHER` that chooses this launcher. */
  readonly name: string;
  /**
   * Reads the launcher's own variables from `env`, and starts nothing. Throws a StartError with one line for each faulty
   * variable. Every launcher checks its variables, but only the chosen one may require a variable (`isChosen`).
   */
  configure(env: NodeJS.ProcessEnv, isChosen: boolean): ConfiguredLauncher;
}

/** A launcher whose variables have been read. */
export interface ConfiguredLauncher {
  readonly name: string;
  /** Starts the launcher. Throws a StartError when its surroundings (a folder, a cluster) cannot be used. */
  open(options: OpenOptions): Promise<OpenLauncher>;
  /** Returns the check that answers dry runs. It works without an open launcher: also in processes that do not lead. */
  openCheck(host: LauncherHost): LaunchCheck & AsyncDisposable;
}

/** What a launcher has to know of the service that it runs agents for. */
export interface LauncherHost {
  /** The version of the service: the tag of its images. */
  readonly version: string;
  /** Returns the command of an agent's program, or undefined when the program is not installed on this machine. */
  readonly findProgram: (program: string) => Command | undefined;
}

export interface OpenOptions extends LauncherHost {
  /** Distinguishes this process from others that run agents. */
  readonly ownerId: string;
  /** The longest that an agent may run. */
  readonly maxDurationMs: number;
  /** How long agents get to end when the launcher is disposed of, if they cannot outlive it. */
  readonly shutdownGraceMs: number;
  /** Called each time that the workloads cannot be observed. The launcher retries by itself. */
  readonly onFailure: (error: unknown) => void;
}

/** Disposing of it also closes the connections of its launcher, which may have been disposed of before. */
export interface OpenLauncher extends AsyncDisposable {
  readonly launcher: AgentLauncher;
  /** The `ownerId`s of processes on this machine that died, and whose agents this launcher has ended. */
  readonly deadOwners: readonly string[];
}

/** An agent that is only checked and not started: it has no environment yet. */
export type PlannedLaunch = Omit<AgentLaunch, 'env'>;

/** Answers whether an agent could run, and starts nothing. */
export interface LaunchCheck {
  /** Whether agents of this role can run here at all, as far as that is known without asking another service. */
  isInstalled(role: AgentRole): boolean;
  /** Resolves when the agent could run now; otherwise throws a LaunchRefused or a LaunchDelayed that says why not. */
  check(launch: PlannedLaunch): Promise<void>;
}
