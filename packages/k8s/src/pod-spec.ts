import type { V1Container, V1Pod, V1Secret } from '@kubernetes/client-node';
import type { AgentRole, LaunchRequest, LaunchRequestWithoutEnv } from '@session/agents';

const DOMAIN = 'session-service';
const NAME = 'app.kubernetes.io/name';
const INSTANCE = 'app.kubernetes.io/instance';
const MANAGED_BY = 'app.kubernetes.io/managed-by';
export const AGENT_ID = `${DOMAIN}/agent-id`;
/** Set only on pods of later workloads. The first workload has the agent's id, in former versions too. */
const WORKLOAD_ID = `${DOMAIN}/workload-id`;

export const CONTAINER = 'agent';
/** A user without rights in each of our images. Kubernetes can verify `runAsNonRoot` only for a numeric user. */
const USER_ID = 1000;

type AgentImage = Pick<V1Container, 'command'> & { readonly image: string };

export interface PodOptions {
  /** The deployment that the agent belongs to. Two deployments in one namespace do not touch each other's pods. */
  readonly instance: string;
  readonly version: string;
  readonly imageOf: (role: AgentRole) => AgentImage;
  readonly deadlineSeconds: number;
  readonly graceSeconds: number;
}

export function podName(workloadId: string): string {
  return `agent-${workloadId}`;
}

export function workloadIdIn(labels: Readonly<Record<string, string>> = {}): string | undefined {
  return labels[WORKLOAD_ID] ?? labels[AGENT_ID];
}

export function selectorOf(instance: string): string {
  return `${MANAGED_BY}=${DOMAIN},${INSTANCE}=${instance}`;
}

/**
 * Returns an agent's pod, by the Pod Security Standard `restricted`. Its whole environment is in the secret of the same name.
 */
export function podOf(request: LaunchRequestWithoutEnv, options: PodOptions): V1Pod {
  const { workloadId, role } = request;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: podName(workloadId), labels: labelsOf(request, options) },
    spec: {
      restartPolicy: 'Never',
      activeDeadlineSeconds: options.deadlineSeconds,
      terminationGracePeriodSeconds: options.graceSeconds,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: USER_ID,
        runAsGroup: USER_ID,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [containerOf(role, podName(workloadId), options.imageOf(role))],
      // The root file system is read-only, but programs expect a writable /tmp.
      volumes: [{ name: 'tmp', emptyDir: { sizeLimit: '64Mi' } }],
    },
  };
}

/**
 * Returns the secret with an agent's environment, owned by the pod `uid`. Kubernetes deletes the secret with its pod,
 * so we need no right to delete secrets.
 */
export function secretOf(request: LaunchRequest, uid: string, options: PodOptions): V1Secret {
  const name = podName(request.workloadId);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      labels: labelsOf(request, options),
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid }],
    },
    immutable: true,
    stringData: { ...request.templateVariables, ...request.env },
  };
}

function containerOf(
  { resources: { cpu, memory } }: AgentRole,
  secretName: string,
  image: AgentImage,
): V1Container {
  return {
    name: CONTAINER,
    ...image,
    imagePullPolicy: 'IfNotPresent',
    envFrom: [{ secretRef: { name: secretName } }],
    resources: {
      requests: { cpu: cpu[0], memory: memory[0] },
      limits: { cpu: cpu[1], memory: memory[1] },
    },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    terminationMessagePolicy: 'FallbackToLogsOnError',
    volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
  };
}

/**
 * Labels name sessions and projects only by their ids, because many users can read labels, and labels must be short.
 */
function labelsOf(
  { workloadId, agentId, sessionId, projectId, role }: LaunchRequestWithoutEnv,
  { instance, version }: PodOptions,
): Record<string, string> {
  return {
    [NAME]: role.name,
    'app.kubernetes.io/component': 'agent',
    [INSTANCE]: instance,
    [MANAGED_BY]: DOMAIN,
    'app.kubernetes.io/part-of': DOMAIN,
    'app.kubernetes.io/version': version,
    [AGENT_ID]: agentId,
    ...(workloadId !== agentId && { [WORKLOAD_ID]: workloadId }),
    [`${DOMAIN}/session-id`]: sessionId,
    [`${DOMAIN}/project-id`]: projectId,
  };
}
