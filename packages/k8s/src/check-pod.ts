import type { AgentLaunch } from '@session/agents';
import type { ApiServer } from './api-server.ts';
import { launchFailure } from './launch-failure.ts';
import { type PodOptions, podOf } from './pod-spec.ts';

const TIMEOUT_MS = 3000;

/**
 * Has the cluster judge the pod of an agent, and make none: its quota, its rules, our rights. Whether a node has room, and
 * whether the image can be had, shows only when there is one. Throws what the start would: a LaunchRefused, a LaunchDelayed,
 * another error when the cluster does not answer.
 */
export async function checkPod(
  api: ApiServer,
  namespace: string,
  launch: AgentLaunch,
  options: PodOptions,
): Promise<void> {
  const pathname = `/api/v1/namespaces/${namespace}/pods?dryRun=All`;
  try {
    await api.call('POST', pathname, { body: podOf(launch, options), timeoutMs: TIMEOUT_MS });
  } catch (error) {
    throw launchFailure(error);
  }
}
