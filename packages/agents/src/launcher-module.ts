import type { AgentRole } from './catalogue.ts';
import type { AgentLauncher, LaunchRequest } from './launcher.ts';
import type { Command } from './programs.ts';

/**
 * Runs agents as processes, as pods, or as another launcher package does. The API has a list of these modules, and the
 * variable `AGENT_LAUNCHER` chooses a module by name.
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
  openCheck(service: ServiceContext): LaunchCheck & AsyncDisposable;
}

/** What a launcher needs to know of the service that it runs agents for. */
export interface ServiceContext {
  /** The version of the service: the tag of its images. */
  readonly version: string;
  /** Returns the command of an agent's program, or undefined when the program is not installed on this machine. */
  readonly findProgram: (program: string) => Command | undefined;
}

export interface OpenOptions extends ServiceContext {
  /** The UUID of this API process, not its pid. It distinguishes this process from others that run agents. */
  readonly processId: string;
  /** The longest that an agent may run. */
  readonly maxDurationMs: number;
  /** How long agents get to end when the launcher is disposed of, if they cannot outlive it. */
  readonly shutdownGraceMs: number;
  /** Called each time that the workloads cannot be observed. The launcher retries by itself. */
  readonly onFailure: (error: unknown) => void;
  /** Called with a sentence for the operator's log. */
  readonly onWarning: (message: string) => void;
}

/** Disposal also closes the launcher's connections, even if the launcher was disposed of before. */
export interface OpenLauncher extends AsyncDisposable {
  readonly launcher: AgentLauncher;
  /** The `processId`s of API processes on this machine that died, and whose agents this launcher has ended. */
  readonly deadProcessIds: readonly string[];
}

/** The request to check whether an agent could start. No environment is made for a check. */
export type LaunchRequestWithoutEnv = Omit<LaunchRequest, 'env' | 'templateVariables'>;

/** Answers whether an agent could run, and starts nothing. */
export interface LaunchCheck {
  /** Whether agents of this role can run here at all, as far as that is known without asking another service. */
  isInstalled(role: AgentRole): boolean;
  /** Resolves when the agent could run now; otherwise throws a LaunchRefused or a LaunchDelayed that says why not. */
  check(request: LaunchRequestWithoutEnv): Promise<void>;
}
