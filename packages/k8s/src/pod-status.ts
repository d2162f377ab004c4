import type { StopReason, Workload } from '@session/agents';
import { containerState, hasStarted, type Pod } from './pod.ts';

export interface PodState {
  readonly pod: Pod;
  readonly isDeleted: boolean;
  readonly isStopping: boolean;
  readonly isOverdue: boolean;
  readonly isGivenUp: boolean;
}

type Rule = readonly [
  matches: (state: PodState) => boolean,
  workload: (state: PodState) => Workload,
];

const EVICTIONS = /^(Evicted|Preempting|NodeShutdown|Terminated)$/;
const IMAGE_PROBLEMS =
  /^(ErrImagePull|ImagePullBackOff|ImageInspectError|ErrImageNeverPull|RegistryUnavailable|SignatureValidationFailed)$/;
/** Nobody observed how the program ended, or whether it ever started. Kubernetes invents the exit code. */
const STATUS_UNKNOWN = 'ContainerStatusUnknown';
const NEVER_STARTED = /^(StartError|ContainerCannotRun)$/;
const CREATION_PROBLEMS = /^(CreateContainerConfigError|CreateContainerError|RunContainerError)$/;

/**
 * The first matching rule counts. A pod has ended when its phase is final, because the reason comes only with that
 * phase, or when it was deleted or given up. A pod with other containers has ended when its agent's container has:
 * until the others end, the pod's phase stays Running.
 */
const RULES: readonly Rule[] = [
  [isEvicted, (state) => ended(state, 'evicted', kubernetesReason(state))],
  [
    endedWith(/^DeadlineExceeded$/),
    (state) =>
      ended(
        state,
        'max_duration',
        'The cluster ended the agent: it ran for the longest time allowed.',
      ),
  ],
  [
    containerEndedWith(/^OOMKilled$/),
    (state) => ended(state, 'out_of_memory', 'The agent used more memory than its limit.'),
  ],
  [
    containerEndedWith(NEVER_STARTED),
    (state) => ended(state, 'bad_configuration', kubernetesReason(state)),
  ],
  [endedWith(/^OutOf/), (state) => ended(state, 'no_capacity', kubernetesReason(state))],
  [
    (state) => wasDeletedWhileAlive(state) && !state.isStopping,
    (state) => ended(state, 'lost', 'The agent’s pod was deleted in the cluster.'),
  ],
  [
    (state) => hasUnknownEnd(state) && !state.isStopping,
    (state) => ended(state, 'lost', kubernetesReason(state)),
  ],
  [hasEnded, (state) => ended(state)],
  [
    isWaitingFor(/^InvalidImageName$/),
    (state) => ended(state, 'bad_configuration', kubernetesReason(state)),
  ],
  [
    (state) => isWaitingFor(CREATION_PROBLEMS)(state) && state.isOverdue,
    (state) => ended(state, 'bad_configuration', kubernetesReason(state)),
  ],
  [
    isWaitingFor(CREATION_PROBLEMS),
    (state) => waiting('bad_configuration', kubernetesReason(state)),
  ],
  [isWaitingFor(IMAGE_PROBLEMS), (state) => waiting('image_error', kubernetesReason(state))],
  [isUnschedulable, (state) => waiting('no_capacity', kubernetesReason(state))],
  [({ pod }) => hasStarted(pod), () => ({ phase: 'running' })],
];

export function workloadOf(state: PodState): Workload {
  const rule = RULES.find(([matches]) => matches(state));
  return rule?.[1](state) ?? { phase: 'waiting' };
}

function hasEnded({ pod, isDeleted, isGivenUp }: PodState): boolean {
  return isDeleted || isGivenUp || hasFinalStatus(pod);
}

function hasFinalStatus(pod: Pod): boolean {
  const { phase, containerStatuses = [] } = pod.status ?? {};
  if (phase === 'Succeeded' || phase === 'Failed') return true;
  return containerStatuses.length > 1 && containerState(pod).terminated !== undefined;
}

function wasDeletedWhileAlive(state: PodState): boolean {
  const { deletionTimestamp } = state.pod.metadata;
  return hasEnded(state) && (deletionTimestamp !== undefined || !hasFinalStatus(state.pod));
}

/** Returns whether the pod has ended without an observed exit code, because the node refused the pod, or lost it. */
function hasUnknownEnd(state: PodState): boolean {
  const { terminated } = containerState(state.pod);
  return hasEnded(state) && (!terminated || terminated.reason === STATUS_UNKNOWN);
}

function isEvicted(state: PodState): boolean {
  const { conditions = [] } = state.pod.status ?? {};
  const isDisrupted = conditions.some(
    ({ type, status }) => type === 'DisruptionTarget' && status === 'True',
  );
  return hasEnded(state) && (isDisrupted || endedWith(EVICTIONS)(state));
}

function endedWith(reason: RegExp): (state: PodState) => boolean {
  return (state) => hasEnded(state) && reason.test(state.pod.status?.reason ?? '');
}

function containerEndedWith(reason: RegExp): (state: PodState) => boolean {
  return (state) =>
    hasEnded(state) && reason.test(containerState(state.pod).terminated?.reason ?? '');
}

function isWaitingFor(reason: RegExp): (state: PodState) => boolean {
  return ({ pod }) => reason.test(containerState(pod).waiting?.reason ?? '');
}

function isUnschedulable({ pod }: PodState): boolean {
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

function ended({ pod }: PodState, cause?: StopReason, detail?: string): Workload {
  const { terminated } = containerState(pod);
  const exitCode = terminated && terminated.reason !== STATUS_UNKNOWN ? terminated.exitCode : null;
  return { phase: 'ended', exitCode, ...(cause && { cause }), ...(detail && { detail }) };
}

/** Returns Kubernetes' reason and message, without the program's last words, which are in the agent's log. */
function kubernetesReason({ pod }: PodState): string {
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
