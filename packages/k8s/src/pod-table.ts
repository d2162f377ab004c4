import { EventEmitter, once } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { type AgentObservation, observeWorkloads, type Workload } from '@session/agents';
import { pause } from '@session/kit';
import { containerState, hasStarted, type Pod } from './pod.ts';
import { workloadIdIn } from './pod-spec.ts';
import { type PodState, workloadOf } from './pod-status.ts';
import type { PodListener } from './pod-watch.ts';

const CHANGE_TIMEOUT_MS = 1000;
/**
 * How long after the end of its grace a pod that is being deleted may still be reported as running. A node that is gone
 * or cut off never reports the end, for which Kubernetes waits.
 */
const GIVEN_UP_AFTER_MS = 60_000;

/**
 * A workload's pod, from its creation until it is removed. *Deleted* means deleted in Kubernetes, *removed* means removed
 * from this table. The states:
 *
 * Alive: each change of the pod updates `workload`, and each change of `workload` is reported.
 *
 * Ended: `workload` has the phase `ended`, which is reported once and never changes again. The pod may still exist, even run
 * on a node that is cut off, or be deleted: it stays in the table, so that the workload's end is not forgotten.
 *
 * Leaving: `isRemovedOnceDeleted` is set, and the pod is being deleted. The pod is removed as soon as it is deleted.
 */
export interface TrackedPod extends PodState {
  readonly workloadId: string;
  pod: Pod;
  workload: Workload;
  isDeleted: boolean;
  isStopping: boolean;
  isRemovedOnceDeleted: boolean;
  isOverdue: boolean;
  isGivenUp: boolean;
  waitingReason: string | undefined;
  deletionTimestamp: string | undefined;
}

export interface PodTableOptions {
  /** How long the creation of a container may fail, because a pod exists briefly before its secret. */
  readonly creationTimeoutMs: number;
  readonly onFailure: (error: unknown) => void;
}

export class PodTable implements PodListener, Disposable {
  readonly #options: PodTableOptions;
  readonly #pods = new Map<string, TrackedPod>();
  readonly #events = new EventEmitter().setMaxListeners(0);
  readonly #synced = Promise.withResolvers<boolean>();
  readonly #stop = new AbortController();
  #beforeList: readonly TrackedPod[] = [];

  constructor(options: PodTableOptions) {
    this.#options = options;
  }

  get(workloadId: string): TrackedPod | undefined {
    return this.#pods.get(workloadId);
  }

  get synced(): Promise<boolean> {
    return this.#synced.promise;
  }

  listing(): void {
    this.#beforeList = [...this.#pods.values()];
  }

  listed(pods: readonly Pod[]): void {
    const listedUids = new Set(pods.map(({ metadata }) => metadata.uid));
    for (const pod of pods) this.changed(pod);
    for (const tracked of this.#beforeList) {
      if (!listedUids.has(tracked.pod.metadata.uid)) this.markDeleted(tracked);
    }
    this.#synced.resolve(true);
  }

  changed(pod: Pod): void {
    const workloadId = workloadIdIn(pod.metadata.labels);
    if (workloadId !== undefined) this.#takePod(workloadId, pod);
  }

  /** Adds a pod from the response to its creation. If the watch has reported the pod already, that report is newer. */
  created(pod: Pod): void {
    const workloadId = workloadIdIn(pod.metadata.labels);
    if (this.get(workloadId ?? '')?.pod.metadata.uid !== pod.metadata.uid) this.changed(pod);
  }

  deleted(pod: Pod): void {
    const tracked = this.get(workloadIdIn(pod.metadata.labels) ?? '');
    if (tracked?.pod.metadata.uid !== pod.metadata.uid) return;
    tracked.pod = pod;
    this.markDeleted(tracked);
  }

  failed(error: unknown): void {
    this.#options.onFailure(error);
  }

  removeOnceDeleted(tracked: TrackedPod): void {
    tracked.isRemovedOnceDeleted = true;
    if (tracked.isDeleted) this.#remove(tracked);
  }

  markDeleted(tracked: TrackedPod): void {
    if (this.get(tracked.workloadId) !== tracked || tracked.isDeleted) return;
    tracked.isDeleted = true;
    if (tracked.isRemovedOnceDeleted) this.#remove(tracked);
    else this.#assess(tracked);
  }

  async *observe(signal: AbortSignal): AsyncGenerator<AgentObservation> {
    if (!(await this.synced)) return;
    yield* observeWorkloads(this.#pods.values(), this.#events, signal);
  }

  async untilStarted(workloadId: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      const tracked = this.get(workloadId);
      if (!tracked || hasStarted(tracked.pod) || tracked.workload.phase === 'ended') return;
      if (signal.aborted) return;
      await once(this.#events, workloadId, { signal }).catch(() => {});
    }
  }

  async untilChanged(workloadId: string, signal: AbortSignal): Promise<void> {
    const end = AbortSignal.any([signal, AbortSignal.timeout(CHANGE_TIMEOUT_MS)]);
    await once(this.#events, workloadId, { signal: end }).catch(() => {});
  }

  #takePod(workloadId: string, pod: Pod): void {
    let tracked = this.#pods.get(workloadId);
    if (tracked?.pod.metadata.uid !== pod.metadata.uid) {
      tracked = track(workloadId, pod);
      this.#pods.set(workloadId, tracked);
      this.#report(workloadId, tracked.workload);
    }
    // A list and a watch may overlap, but a deleted pod does not come back.
    if (tracked.isDeleted) return;
    tracked.pod = pod;
    this.#assess(tracked);
  }

  #remove({ workloadId }: TrackedPod): void {
    this.#pods.delete(workloadId);
    this.#report(workloadId, { phase: 'absent' });
    this.#events.emit(workloadId);
  }

  #assess(tracked: TrackedPod): void {
    if (tracked.workload.phase !== 'ended') {
      this.#trackWaiting(tracked);
      this.#trackDeletion(tracked);
      const workload = workloadOf(tracked);
      if (!isDeepStrictEqual(workload, tracked.workload)) {
        tracked.workload = workload;
        this.#report(tracked.workloadId, workload);
      }
    }
    this.#events.emit(tracked.workloadId);
  }

  #trackWaiting(tracked: TrackedPod): void {
    const reason = containerState(tracked.pod).waiting?.reason;
    if (reason === tracked.waitingReason) return;
    tracked.waitingReason = reason;
    tracked.isOverdue = false;
    if (reason !== undefined) void this.#markOverdue(tracked, reason);
  }

  async #markOverdue(tracked: TrackedPod, reason: string): Promise<void> {
    if (!(await pause(this.#options.creationTimeoutMs, this.#stop.signal))) return;
    if (this.get(tracked.workloadId) !== tracked || tracked.waitingReason !== reason) return;
    tracked.isOverdue = true;
    this.#assess(tracked);
  }

  #trackDeletion(tracked: TrackedPod): void {
    const { deletionTimestamp } = tracked.pod.metadata;
    if (deletionTimestamp === tracked.deletionTimestamp) return;
    tracked.deletionTimestamp = deletionTimestamp;
    if (deletionTimestamp !== undefined) void this.#giveUp(tracked, deletionTimestamp);
  }

  /** `deletionTimestamp`: when the grace ends. It becomes earlier when another client requests a shorter grace. */
  async #giveUp(tracked: TrackedPod, deletionTimestamp: string): Promise<void> {
    const leftMs = Date.parse(deletionTimestamp) + GIVEN_UP_AFTER_MS - Date.now();
    if (!(await pause(Math.max(0, leftMs), this.#stop.signal))) return;
    if (this.get(tracked.workloadId) !== tracked) return;
    if (tracked.deletionTimestamp !== deletionTimestamp) return;
    tracked.isGivenUp = true;
    this.#assess(tracked);
  }

  #report(workloadId: string, workload: Workload): void {
    const observation: AgentObservation = { type: 'workload', workloadId, workload };
    this.#events.emit('change', observation);
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
    this.#synced.resolve(false);
  }
}

function track(workloadId: string, pod: Pod): TrackedPod {
  return {
    workloadId,
    pod,
    workload: { phase: 'waiting' },
    isDeleted: false,
    isStopping: false,
    isRemovedOnceDeleted: false,
    isOverdue: false,
    isGivenUp: false,
    waitingReason: undefined,
    deletionTimestamp: undefined,
  };
}
