import { type AgentLaunch, LaunchDelayed, LaunchRefused } from '@session/agents';
import { type ApiServer, checkPod, openApiServer } from '@session/k8s';
import type { Config } from '../../config.ts';
import { podOptionsOf } from './agent-launcher.ts';

/** Of a pod that is never made. */
const DURATION_MS = 3_600_000;

/** What a launcher has to know of an agent that is not started: its keys are not among it. */
export type PlannedLaunch = Omit<AgentLaunch, 'env'>;

export interface LaunchCheckOptions {
  readonly version: string;
  readonly isInstalled: (program: string) => boolean;
}

/** Asks what runs agents whether it would run one, and starts nothing. Holds a connection to the cluster, if there is one. */
export class LaunchCheck implements AsyncDisposable {
  readonly #config: Config;
  readonly #options: LaunchCheckOptions;
  #api: ApiServer | undefined;

  constructor(config: Config, options: LaunchCheckOptions) {
    this.#config = config;
    this.#options = options;
  }

  /** Throws a LaunchRefused or a LaunchDelayed that says why the agent would not run now. */
  async check(launch: PlannedLaunch): Promise<void> {
    const { kubernetes } = this.#config.agents;
    if (!kubernetes) return this.#checkProgram(launch);
    this.#api ??= openApiServer(kubernetes.kubeconfig);
    const options = podOptionsOf(kubernetes, this.#options.version, DURATION_MS);
    try {
      await checkPod(this.#api, kubernetes.namespace, { ...launch, env: {} }, options);
    } catch (error) {
      if (error instanceof LaunchRefused || error instanceof LaunchDelayed) throw error;
      const detail = 'The cluster that runs agents does not answer: an agent waits until it does.';
      throw new LaunchDelayed({ reason: 'start_timeout', detail });
    }
  }

  #checkProgram({ type: { role, program } }: PlannedLaunch): void {
    if (this.#options.isInstalled(program)) return;
    const detail = `The program of ${role}, ${program}, is not installed.`;
    throw new LaunchRefused({ reason: 'bad_configuration', detail });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#api?.[Symbol.asyncDispose]();
  }
}
