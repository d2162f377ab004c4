import type { LauncherModule, OpenLauncher, OpenOptions } from '@session/agents';
import type { ApiServer } from './api-server.ts';
import { imageOf, type KubernetesConfig, readKubernetesConfig } from './config.ts';
import { KubernetesLauncher } from './kubernetes-launcher.ts';
import { PodCheck } from './pod-check.ts';
import type { PodOptions } from './pod-spec.ts';

/** The cluster ends a pod by itself this long after the service should have ended the agent. */
const DEADLINE_SLACK_SECONDS = 300;
const EVICTION_GRACE_SECONDS = 30;
const CHECK_DURATION_MS = 3_600_000;

export const kubernetesModule: LauncherModule = {
  name: 'kubernetes',
  configure(env, isChosen) {
    const config = readKubernetesConfig(env, isChosen);
    return {
      name: 'kubernetes',
      open: async (options) => await openPods(config, options),
      openCheck: ({ version }) =>
        new PodCheck({
          openApi: () => openApi(config),
          namespace: config.namespace,
          pod: podOptionsOf(config, version, CHECK_DURATION_MS),
        }),
    };
  },
};

/**
 * Loads the cluster's library only when needed, because it would be a third of the code that an API without a cluster
 * loads.
 */
async function openApi({ kubeconfig }: KubernetesConfig): Promise<ApiServer> {
  const { openApiServer } = await import('./api-server.ts');
  return openApiServer(kubeconfig);
}

async function openPods(config: KubernetesConfig, options: OpenOptions): Promise<OpenLauncher> {
  const { version, maxDurationMs, onFailure } = options;
  const stack = new AsyncDisposableStack();
  const api = stack.use(await openApi(config));
  const { namespace } = config;
  const pod = podOptionsOf(config, version, maxDurationMs);
  const launcher = stack.use(new KubernetesLauncher({ api, namespace, onFailure, ...pod }));
  return { launcher, deadProcessIds: [], [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

function podOptionsOf(
  config: KubernetesConfig,
  version: string,
  maxDurationMs: number,
): PodOptions {
  return {
    instance: config.instance,
    version,
    imageOf: (role) => ({ image: imageOf(role, config, version) }),
    deadlineSeconds: Math.ceil(maxDurationMs / 1000) + DEADLINE_SLACK_SECONDS,
    graceSeconds: EVICTION_GRACE_SECONDS,
  };
}
