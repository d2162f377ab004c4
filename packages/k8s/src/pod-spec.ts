import type { V1Container, V1Pod, V1Secret } from '@kubernetes/client-node';
import type { AgentLaunch, AgentType } from '@session/agents';

/** Of our own labels. */
const DOMAIN = 'session-service';
const NAME = 'app.kubernetes.io/name';
const INSTANCE = 'app.kubernetes.io/instance';
const MANAGED_BY = 'app.kubernetes.io/managed-by';
export const AGENT_ID = `${DOMAIN}/agent-id`;

/** The name of the only container. */
export const CONTAINER = 'agent';
/** Of a user that every image of ours knows as one without rights; the id and not the name, so that it can be checked. */
const USER = 1000;

/** What a type of agent runs as: an image, and a command when that is not the image's own. */
export type AgentImage = Pick<V1Container, 'command'> & { readonly image: string };

export interface PodOptions {
  /** Of which deployment the agent is: two in one namespace do not touch each other's. */
  readonly instance: string;
  readonly version: string;
  readonly imageOf: (type: AgentType) => AgentImage;
  /** When the cluster ends it by itself, in seconds after its start, should nobody else have. */
  readonly deadlineSeconds: number;
  /** What its program gets to end when the cluster needs its place. */
  readonly graceSeconds: number;
}

/** The name of an agent's pod, and of its secret. */
export function podName(agentId: string): string {
  return `agent-${agentId}`;
}

/** What finds all pods of a deployment, and no others. */
export function selectorOf(instance: string): string {
  return `${MANAGED_BY}=${DOMAIN},${INSTANCE}=${instance}`;
}

/**
 * Gives an agent's pod, fit for a namespace whose Pod Security is `restricted`. It holds no value of the agent's
 * environment: all of that comes from the secret of the same name.
 */
export function podOf(launch: AgentLaunch, options: PodOptions): V1Pod {
  const { agentId, type } = launch;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: podName(agentId), labels: labelsOf(launch, options) },
    spec: {
      restartPolicy: 'Never',
      activeDeadlineSeconds: options.deadlineSeconds,
      terminationGracePeriodSeconds: options.graceSeconds,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: USER,
        runAsGroup: USER,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [containerOf(type, podName(agentId), options.imageOf(type))],
      // The root is read-only; this is where programs expect to be able to write.
      volumes: [{ name: 'tmp', emptyDir: { sizeLimit: '64Mi' } }],
    },
  };
}

/**
 * Gives the secret with an agent's environment. It belongs to the pod with that `uid`, and goes with it: nobody has to
 * delete it, and so nobody needs the right to.
 */
export function secretOf(launch: AgentLaunch, uid: string, options: PodOptions): V1Secret {
  const name = podName(launch.agentId);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      labels: labelsOf(launch, options),
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid }],
    },
    immutable: true,
    stringData: { ...launch.env },
  };
}

function containerOf(
  { resources: { cpu, memory } }: AgentType,
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

/** Ids only: labels are read by many, and must be short. */
function labelsOf(
  { agentId, sessionId, projectId, type }: AgentLaunch,
  { instance, version }: PodOptions,
): Record<string, string> {
  return {
    [NAME]: type.role,
    'app.kubernetes.io/component': 'agent',
    [INSTANCE]: instance,
    [MANAGED_BY]: DOMAIN,
    'app.kubernetes.io/part-of': DOMAIN,
    'app.kubernetes.io/version': version,
    [AGENT_ID]: agentId,
    [`${DOMAIN}/session-id`]: sessionId,
    [`${DOMAIN}/project-id`]: projectId,
  };
}
