import type { StopReason, Workload } from '@session/agents';
import { containerState, hasStarted, type Pod } from './pod.ts';

/** A pod, and what only its watcher knows. */
export interface PodSighting {
  readonly pod: Pod;
  /** It has been deleted, and `pod` is how it was last. */
  readonly isGone: boolean;
  /** We have deleted it. */
  readonly isStopping: boolean;
  /** Its container has been waiting, for the reason that it gives, longer than what passes takes. */
  readonly isOverdue: boolean;
}

type Row = readonly [
  name: string,
  matches: (sighting: PodSighting) => boolean,
  workload: (sighting: PodSighting) => Workload,
];

const EVICTIONS = /^(Evicted|Preempting|NodeShutdown|Terminated)$/;
const IMAGE_PROBLEMS =
  /^(ErrImagePull|ImagePullBackOff|ImageInspectError|ErrImageNeverPull|RegistryUnavailable|SignatureValidationFailed)$/;
/** Nobody saw its program end, if it ever began; the exit code is made up. */
const FORGOTTEN = 'ContainerStatusUnknown';
const NEVER_STARTED = /^(StartError|ContainerCannotRun)$/;
const CREATION_PROBLEMS = /^(CreateContainerConfigError|CreateContainerError|RunContainerError)$/;

/**
 * What a pod's status means; the first row that matches counts. A pod ends when its phase says so, not when its container
 * has: only then is it said what ended it.
 */
const TABLE: readonly Row[] = [
  ['it made room for others', isEvicted, (seen) => ended(seen, 'evicted', reasonOf(seen))],
  [
    'its deadline passed',
    has('DeadlineExceeded'),
    (seen) =>
      ended(seen, 'max_duration', 'The cluster has ended it: it has run for as long as it may.'),
  ],
  [
    'it took too much memory',
    wasEndedBy(/^OOMKilled$/),
    (seen) => ended(seen, 'out_of_memory', 'It needed more memory than it may have.'),
  ],
  [
    'its program could not be run',
    wasEndedBy(NEVER_STARTED),
    (seen) => ended(seen, 'bad_configuration', reasonOf(seen)),
  ],
  ['its node had no room', has(/^OutOf/), (seen) => ended(seen, 'no_capacity', reasonOf(seen))],
  [
    'it was deleted, and not by us',
    (seen) => isTaken(seen) && !seen.isStopping,
    (seen) => ended(seen, 'lost', 'Its pod was deleted in the cluster.'),
  ],
  [
    'nobody knows how it ended',
    (seen) => isUnknown(seen) && !seen.isStopping,
    (seen) => ended(seen, 'lost', reasonOf(seen)),
  ],
  ['its program ended', hasEnded, (seen) => ended(seen)],
  [
    'its image has no proper name',
    isWaitingFor(/^InvalidImageName$/),
    (seen) => ended(seen, 'bad_configuration', reasonOf(seen)),
  ],
  [
    'its container cannot be made',
    (seen) => isWaitingFor(CREATION_PROBLEMS)(seen) && seen.isOverdue,
    (seen) => ended(seen, 'bad_configuration', reasonOf(seen)),
  ],
  [
    'its container is not made yet',
    isWaitingFor(CREATION_PROBLEMS),
    (seen) => waiting('bad_configuration', reasonOf(seen)),
  ],
  [
    'its image does not come',
    isWaitingFor(IMAGE_PROBLEMS),
    (seen) => waiting('image_error', reasonOf(seen)),
  ],
  ['no node has room', isUnschedulable, (seen) => waiting('no_capacity', reasonOf(seen))],
  ['its program runs', ({ pod }) => hasStarted(pod), () => ({ phase: 'running' })],
];

/** Gives what a sighting of a pod means to the agents' state machine. Pure. */
export function workloadOf(sighting: PodSighting): Workload {
  const row = TABLE.find(([, matches]) => matches(sighting));
  return row?.[2](sighting) ?? { phase: 'waiting' };
}

function hasEnded({ pod, isGone }: PodSighting): boolean {
  return isGone || pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}

/** Ended, and because it was deleted: one that ends by itself has no such time. */
function isTaken(seen: PodSighting): boolean {
  const { deletionTimestamp } = seen.pod.metadata;
  const hasFailed = seen.pod.status?.phase === 'Failed' || seen.pod.status?.phase === 'Succeeded';
  return hasEnded(seen) && (deletionTimestamp !== undefined || !hasFailed);
}

/** Its node refused it or has forgotten it: there is no exit code, or one that somebody made up. */
function isUnknown(seen: PodSighting): boolean {
  const { terminated } = containerState(seen.pod);
  return hasEnded(seen) && (!terminated || terminated.reason === FORGOTTEN);
}

function isEvicted(seen: PodSighting): boolean {
  const { conditions = [] } = seen.pod.status ?? {};
  const isDisrupted = conditions.some(
    ({ type, status }) => type === 'DisruptionTarget' && status === 'True',
  );
  return hasEnded(seen) && (isDisrupted || has(EVICTIONS)(seen));
}

function has(reason: RegExp | string): (seen: PodSighting) => boolean {
  return (seen) => {
    const given = seen.pod.status?.reason ?? '';
    return hasEnded(seen) && (typeof reason === 'string' ? given === reason : reason.test(given));
  };
}

function wasEndedBy(reason: RegExp): (seen: PodSighting) => boolean {
  return (seen) => hasEnded(seen) && reason.test(containerState(seen.pod).terminated?.reason ?? '');
}

function isWaitingFor(reason: RegExp): (seen: PodSighting) => boolean {
  return ({ pod }) => reason.test(containerState(pod).waiting?.reason ?? '');
}

function isUnschedulable({ pod }: PodSighting): boolean {
  return unscheduled(pod) !== undefined;
}

function unscheduled(pod: Pod) {
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
  const exitCode = terminated && terminated.reason !== FORGOTTEN ? terminated.exitCode : null;
  return { phase: 'ended', exitCode, ...(cause && { cause }), ...(detail && { detail }) };
}

/** What Kubernetes says about it, in a sentence. A program's own last words are not among it: those are in its log. */
function reasonOf({ pod }: PodSighting): string {
  const { waiting: waits, terminated } = containerState(pod);
  const neverRan = NEVER_STARTED.test(terminated?.reason ?? '') ? terminated : undefined;
  const disruption = pod.status?.conditions?.find(({ type }) => type === 'DisruptionTarget');
  const source =
    waits ?? neverRan ?? (pod.status?.reason ? pod.status : disruption) ?? unscheduled(pod);
  return [source?.reason, source?.message].filter(Boolean).join(': ');
}
