import {
  type AgentRole,
  type LaunchCheck,
  LaunchDelayed,
  LaunchRefused,
  type LaunchRequestWithoutEnv,
} from '@session/agents';
import type { ApiServer } from './api-server.ts';
import { launchFailure } from './launch-failure.ts';
import { type PodOptions, podOf } from './pod-spec.ts';

const TIMEOUT_MS = 3000;

export interface PodCheckOptions {
  /** Called at the first check, because a process that runs no check needs no cluster. Called again after it threw. */
  readonly openApi: () => Promise<ApiServer>;
  readonly namespace: string;
  readonly pod: PodOptions;
}

/**
 * Asks the cluster whether it would accept an agent's pod (quotas, admission, rights), and creates none. The answer
 * does not show whether a node has room, or whether the image can be pulled.
 */
export class PodCheck implements LaunchCheck, AsyncDisposable {
  readonly #options: PodCheckOptions;
  #api: Promise<ApiServer> | undefined;

  constructor(options: PodCheckOptions) {
    this.#options = options;
  }

  isInstalled({ image }: Pick<AgentRole, 'image'>): boolean {
    return image !== '';
  }

  async check(request: LaunchRequestWithoutEnv): Promise<void> {
    const { namespace, pod } = this.#options;
    const api = await this.#open();
    const pathname = `/api/v1/namespaces/${namespace}/pods?dryRun=All`;
    const body = podOf(request, pod);
    try {
      await api.call('POST', pathname, { body, timeoutMs: TIMEOUT_MS });
    } catch (error) {
      const failure = launchFailure(error);
      if (failure instanceof LaunchRefused || failure instanceof LaunchDelayed) throw failure;
      const detail =
        'The cluster that runs the agents does not answer. Check again in a minute: an agent started now waits until it does.';
      throw new LaunchDelayed({ reason: 'start_timeout', detail });
    }
  }

  async #open(): Promise<ApiServer> {
    this.#api ??= this.#options.openApi();
    try {
      return await this.#api;
    } catch (error) {
      this.#api = undefined;
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const api = await this.#api?.catch(() => undefined);
    await api?.[Symbol.asyncDispose]();
  }
}
