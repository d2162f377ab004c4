import type { StopReason, Workload } from '@session/agents';
import { containerState, hasStarted, type Pod } from './pod.ts';

/** A pod, and what its status does not say. */
export interface PodSighting {
  readonly pod: Pod;
  /** The pod has been deleted, and `pod` is its last state. */
  readonly isDeleted: boolean;
  /** This service has deleted the pod, or is deleting it. */
  readonly isStopping: boolean;
  /** The container has waited, for its present reason, longer than temporary problems take. */
  readonly isOverdue: boolean;
}

type Row = readonly [
  meaning: string,
  matches: (sighting: PodSighting) => boolean,
  workload: (sighting: PodSighting) => Workload,
];

const EVICTIONS = /^(Evicted|Preempting|NodeShutdown|Terminated)$/;
const IMAGE_PROBLEMS =
  /^(ErrImagePull|ImagePullBackOff|ImageInspectError|ErrImageNeverPull|RegistryUnavailable|SignatureValidationFailed)$/;
/** Nobody observed the end of the program, or whether it ever started. The exit code is made up. */
const STATUS_UNKNOWN = 'ContainerStatusUnknown';
const NEVER_STARTED = /^(StartError|ContainerCannotRun)$/;
const CREATION_PROBLEMS = /^(CreateContainerConfigError|CreateContainerError|RunContainerError)$/;

/**
 * What a pod's status means. The first row that matches counts. A pod has ended when its phase says so, not when its
 * container has ended: only the phase comes with the reason for the end.
 */
const TABLE: readonly Row[] = [
  [
    'the pod was evicted',
    isEvicted,
    (sighting) => ended(sighting, 'evicted', kubernetesReason(sighting)),
  ],
  [
    'its deadline passed',
    endedWith(/^DeadlineExceeded$/),
    (sighting) =>
      ended(
        sighting,
        'max_duration',
        'The cluster ended the agent: it ran for the longest time allowed.',
      ),
  ],
  [
    'its program used too much memory',
    containerEndedWith(/^OOMKilled$/),
    (sighting) => ended(sighting, 'out_of_memory', 'The agent used more memory than its limit.'),
  ],
  [
    'its program could not be run',
    containerEndedWith(NEVER_STARTED),
    (sighting) => ended(sighting, 'bad_configuration', kubernetesReason(sighting)),
  ],
  [
    'its node had no room',
    endedWith(/^OutOf/),
    (sighting) => ended(sighting, 'no_capacity', kubernetesReason(sighting)),
  ],
  [
    'it was deleted, but not by this service',
    (sighting) => wasDeletedWhileAlive(sighting) && !sighting.isStopping,
    (sighting) => ended(sighting, 'lost', 'The agent’s pod was deleted in the cluster.'),
  ],
  [
    'nobody knows how its program ended',
    (sighting) => hasUnknownEnd(sighting) && !sighting.isStopping,
    (sighting) => ended(sighting, 'lost', kubernetesReason(sighting)),
  ],
  ['its program ended', hasEnded, (sighting) => ended(sighting)],
  [
    'the name of its image is not valid',
    isWaitingFor(/^InvalidImageName$/),
    (sighting) => ended(sighting, 'bad_configuration', kubernetesReason(sighting)),
  ],
  [
    'its container cannot be created',
    (sighting) => isWaitingFor(CREATION_PROBLEMS)(sighting) && sighting.isOverdue,
    (sighting) => ended(sighting, 'bad_configuration', kubernetesReason(sighting)),
  ],
  [
    'its container is not created yet',
    isWaitingFor(CREATION_PROBLEMS),
    (sighting) => waiting('bad_configuration', kubernetesReason(sighting)),
  ],
  [
    'its image cannot be pulled',
    isWaitingFor(IMAGE_PROBLEMS),
    (sighting) => waiting('image_error', kubernetesReason(sighting)),
  ],
  [
    'no node has room',
    isUnschedulable,
    (sighting) => waiting('no_capacity', kubernetesReason(sighting)),
  ],
  ['its program runs', ({ pod }) => hasStarted(pod), () => ({ phase: 'running' })],
];

/** Returns the phase of an agent's workload, as a sighting of its pod shows it. Pure. */
export function workloadOf(sighting: PodSighting): Workload {
  const row = TABLE.find(([, matches]) => matches(sighting));
  return row?.[2](sighting) ?? { phase: 'waiting' };
}

function hasEnded({ pod, isDeleted }: PodSighting): boolean {
  return isDeleted || hasFinalPhase(pod);
}

function hasFinalPhase({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** Whether the deletion ended the pod. A pod that ends by itself has no deletion time. */
function wasDeletedWhileAlive(sighting: PodSighting): boolean {
  const { deletionTimestamp } = sighting.pod.metadata;
  return hasEnded(sighting) && (deletionTimestamp !== undefined || !hasFinalPhase(sighting.pod));
}

/** Whether the node refused or forgot the pod: there is no exit code, or a made-up one. */
function hasUnknownEnd(sighting: PodSighting): boolean {
  const { terminated } = containerState(sighting.pod);
  return hasEnded(sighting) && (!terminated || terminated.reason === STATUS_UNKNOWN);
}

function isEvicted(sighting: PodSighting): boolean {
  const { conditions = [] } = sighting.pod.status ?? {};
  const isDisrupted = conditions.some(
    ({ type, status }) => type === 'DisruptionTarget' && status === 'True',
  );
  return hasEnded(sighting) && (isDisrupted || endedWith(EVICTIONS)(sighting));
}

function endedWith(reason: RegExp): (sighting: PodSighting) => boolean {
  return (sighting) => hasEnded(sighting) && reason.test(sighting.pod.status?.reason ?? '');
}

function containerEndedWith(reason: RegExp): (sighting: PodSighting) => boolean {
  return (sighting) =>
    hasEnded(sighting) && reason.test(containerState(sighting.pod).terminated?.reason ?? '');
}

function isWaitingFor(reason: RegExp): (sighting: PodSighting) => boolean {
  return ({ pod }) => reason.test(containerState(pod).waiting?.reason ?? '');
}

function isUnschedulable({ pod }: PodSighting): boolean {
  return unschedulableCondition(pod) !== undefined;
}

function unschedulableCondition(pod: Pod) {
  return pod.status?.conditions?.find(
    ({ type, status, reason }) =>
      type === 'PodScheduled' && status === 'False' && reason === 'Unschedulable',
  );
}

function waiting(reason: StopReason, detail: string): Workload {
  return { phase: 'waiting', problem: { reason, detail } };
}

function ended({ pod }: PodSighting, cause?: StopReason, detail?: string): Workload {
  const { terminated } = containerState(pod);
  const exitCode = terminated && terminated.reason !== STATUS_UNKNOWN ? terminated.exitCode : null;
  return { phase: 'ended', exitCode, ...(cause && { cause }), ...(detail && { detail }) };
}

/** Returns Kubernetes' reason and message. The program's own last words are left out: they are in the agent's log. */
function kubernetesReason({ pod }: PodSighting): string {
  const state = containerState(pod);
  const neverRan = NEVER_STARTED.test(state.terminated?.reason ?? '')
    ? state.terminated
    : undefined;
  const disruption = pod.status?.conditions?.find(({ type }) => type === 'DisruptionTarget');
  const source =
    state.waiting ??
    neverRan ??
    (pod.status?.reason ? pod.status : disruption) ??
    unschedulableCondition(pod);
  return [source?.reason, source?.message].filter(Boolean).join(': ');
}
