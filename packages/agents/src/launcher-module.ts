import type { AgentRole } from './catalogue.ts';
import type { AgentLauncher, LaunchRequest } from './launcher.ts';
import type { Command } from './programs.ts';

/** The variable `AGENT_LAUNCHER` selects one of the API's launcher modules by name. */
export interface LauncherModule {
  readonly name: string;
  /**
   * Reads the launcher's variables, without starting anything. Throws a StartError with one line for each fault. Only
   * the chosen launcher may require a variable (`isChosen`).
   */
  configure(env: NodeJS.ProcessEnv, isChosen: boolean): ConfiguredLauncher;
}

export interface ConfiguredLauncher {
  readonly name: string;
  open(options: OpenOptions): Promise<OpenLauncher>;
  openCheck(service: ServiceContext): LaunchCheck & AsyncDisposable;
}

export interface ServiceContext {
  readonly version: string;
  readonly findProgram: (program: string) => Command | undefined;
}

export interface OpenOptions extends ServiceContext {
  readonly processId: string;
  readonly maxDurationMs: number;
  readonly shutdownGraceMs: number;
  readonly onFailure: (error: unknown) => void;
  readonly onWarning: (message: string) => void;
}

export interface OpenLauncher extends AsyncDisposable {
  readonly launcher: AgentLauncher;
  readonly deadProcessIds: readonly string[];
}

export type LaunchRequestWithoutEnv = Omit<LaunchRequest, 'env' | 'templateVariables'>;

export interface LaunchCheck {
  isInstalled(role: AgentRole): boolean;
  check(request: LaunchRequestWithoutEnv): Promise<void>;
}
