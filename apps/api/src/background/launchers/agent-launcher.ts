import { type AgentLauncher, type Command, ProcessLauncher } from '@session/agents';
import { KubernetesLauncher, openApiServer, type PodOptions } from '@session/k8s';
import type { FastifyBaseLogger } from 'fastify';
import type { Config, KubernetesConfig } from '../../config.ts';

/** The cluster ends an agent by itself so long after we should have. */
const DEADLINE_SLACK_SECONDS = 300;
/** What an agent gets to end when its node needs the place. */
const EVICTION_GRACE_SECONDS = 30;

export interface LauncherSettings {
  readonly ownerId: string;
  /** Of the product: the tag of its images. */
  readonly version: string;
  readonly maxDurationMs: number;
  /** What processes get to end when we do. */
  readonly patienceMs: number;
  /** Gives the command of an agent's program, or undefined when it is not installed. */
  readonly findProgram: (program: string) => Command | undefined;
  readonly log: Pick<FastifyBaseLogger, 'warn'>;
}

export interface OpenLauncher extends AsyncDisposable {
  readonly launcher: AgentLauncher;
  /** Owners of agents that have died on this machine. */
  readonly predecessors: readonly string[];
}

/**
 * Gives what runs agents: processes of ours, or pods in a cluster. Throws a StartError when the folder for the records of
 * processes cannot be used, or no cluster is named.
 */
export async function openLauncher(
  { agents: { kubernetes, processFolder } }: Config,
  settings: LauncherSettings,
): Promise<OpenLauncher> {
  if (kubernetes) return openPods(kubernetes, settings);
  const launcher = await ProcessLauncher.open({
    ...settings,
    folder: processFolder,
    machineEnv: process.env,
  });
  const dispose = async () => await launcher[Symbol.asyncDispose]();
  return { launcher, predecessors: launcher.predecessors, [Symbol.asyncDispose]: dispose };
}

function openPods(kubernetes: KubernetesConfig, settings: LauncherSettings): OpenLauncher {
  const { version, maxDurationMs, log } = settings;
  const stack = new AsyncDisposableStack();
  const api = stack.use(openApiServer(kubernetes.kubeconfig));
  const launcher = stack.use(
    new KubernetesLauncher({
      api,
      namespace: kubernetes.namespace,
      ...podOptionsOf(kubernetes, version, maxDurationMs),
      onFailure: (error) => log.warn({ err: error }, 'the pods of agents cannot be watched'),
    }),
  );
  return { launcher, predecessors: [], [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** Gives what the pods of this deployment have in common. */
export function podOptionsOf(
  { instance, images }: KubernetesConfig,
  version: string,
  maxDurationMs: number,
): PodOptions {
  return {
    instance,
    version,
    imageOf: ({ role, image }) => ({ image: images[role] ?? `${image}:${version}` }),
    deadlineSeconds: Math.ceil(maxDurationMs / 1000) + DEADLINE_SLACK_SECONDS,
    graceSeconds: EVICTION_GRACE_SECONDS,
  };
}
