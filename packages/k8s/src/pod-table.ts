import { EventEmitter, once } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { type AgentObservation, observeWorkloads, type Workload } from '@session/agents';
import { pause } from '@session/kit';
import { containerState, hasStarted, type Pod } from './pod.ts';
import { AGENT_ID } from './pod-spec.ts';
import { type PodSighting, workloadOf } from './pod-status.ts';
import type { PodListener } from './pod-watch.ts';

const CHANGE_TIMEOUT_MS = 1000;

/**
 * An agent's pod, from its creation until it is removed. Its states:
 *
 * Alive: each change of the pod updates `workload`, and each change of `workload` is reported.
 *
 * Ended: `workload` has the phase `ended`, which is reported once and never changes again. The pod may still exist, or be
 * deleted: the entry stays, so that the agent's end is not forgotten.
 *
 * Removed: `isRemoving` is set, and the pod is being deleted. The entry is dropped as soon as the pod is deleted.
 */
export interface PodEntry extends PodSighting {
  readonly agentId: string;
  pod: Pod;
  workload: Workload;
  isDeleted: boolean;
  isStopping: boolean;
  isRemoving: boolean;
  isOverdue: boolean;
  /** Why the container waits. A new reason starts the time after which it is overdue again. */
  waitingReason: string | undefined;
}

export interface PodTableOptions {
  /**
   * How long the creation of a container may fail. The reason is often temporary: a pod exists for a moment before its
   * secret does.
   */
  readonly creationTimeoutMs: number;
  readonly onFailure: (error: unknown) => void;
}

/** Knows the pods of all agents, and reports what their changes mean to observers. */
export class PodTable implements PodListener, Disposable {
  readonly #options: PodTableOptions;
  readonly #entries = new Map<string, PodEntry>();
  /** Emits `change` with each observation, and an agent's id with each change of its pod. */
  readonly #events = new EventEmitter().setMaxListeners(0);
  readonly #synced = Promise.withResolvers<boolean>();
  readonly #stop = new AbortController();
  /** The entries from before the list request that is under way. */
  #beforeList: readonly PodEntry[] = [];

  constructor(options: PodTableOptions) {
    this.#options = options;
  }

  get(agentId: string): PodEntry | undefined {
    return this.#entries.get(agentId);
  }

  /** Resolves with true when all existing pods are known, or with false when the table is disposed of before. */
  get synced(): Promise<boolean> {
    return this.#synced.promise;
  }

  listing(): void {
    this.#beforeList = [...this.#entries.values()];
  }

  listed(pods: readonly Pod[]): void {
    const listedUids = new Set(pods.map(({ metadata }) => metadata.uid));
    for (const pod of pods) this.changed(pod);
    for (const entry of this.#beforeList) {
      if (!listedUids.has(entry.pod.metadata.uid)) this.markDeleted(entry);
    }
    this.#synced.resolve(true);
  }

  changed(pod: Pod): void {
    const agentId = pod.metadata.labels?.[AGENT_ID];
    if (agentId !== undefined) this.#takePod(agentId, pod);
  }

  /** Adds a pod from the response to its creation. If the watch has reported the pod already, its report is newer. */
  created(pod: Pod): void {
    const agentId = pod.metadata.labels?.[AGENT_ID];
    if (this.get(agentId ?? '')?.pod.metadata.uid !== pod.metadata.uid) this.changed(pod);
  }

  deleted(pod: Pod): void {
    const entry = this.get(pod.metadata.labels?.[AGENT_ID] ?? '');
    if (entry?.pod.metadata.uid !== pod.metadata.uid) return;
    entry.pod = pod;
    this.markDeleted(entry);
  }

  failed(error: unknown): void {
    this.#options.onFailure(error);
  }

  /** Removes an entry whose workload has ended, as soon as its pod is deleted. */
  remove(entry: PodEntry): void {
    entry.isRemoving = true;
    if (entry.isDeleted) this.#drop(entry);
  }

  /** Notes that the pod of an entry has been deleted. Also called when nobody observed the deletion. */
  markDeleted(entry: PodEntry): void {
    if (this.get(entry.agentId) !== entry || entry.isDeleted) return;
    entry.isDeleted = true;
    if (entry.isRemoving) this.#drop(entry);
    else this.#assess(entry);
  }

  async *observe(signal: AbortSignal): AsyncGenerator<AgentObservation> {
    if (!(await this.synced)) return;
    yield* observeWorkloads(this.#entries.values(), this.#events, signal);
  }

  /** Resolves when the agent's program has started, or can no longer start, or `signal` aborts. */
  async untilStarted(agentId: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      const entry = this.get(agentId);
      if (!entry || hasStarted(entry.pod) || entry.workload.phase === 'ended') return;
      if (signal.aborted) return;
      await once(this.#events, agentId, { signal }).catch(() => {});
    }
  }

  /** Resolves when the agent's pod has changed, at the latest after a second, or when `signal` aborts. */
  async untilChanged(agentId: string, signal: AbortSignal): Promise<void> {
    const end = AbortSignal.any([signal, AbortSignal.timeout(CHANGE_TIMEOUT_MS)]);
    await once(this.#events, agentId, { signal: end }).catch(() => {});
  }

  #takePod(agentId: string, pod: Pod): void {
    let entry = this.#entries.get(agentId);
    if (entry?.pod.metadata.uid !== pod.metadata.uid) {
      entry = newEntry(agentId, pod);
      this.#entries.set(agentId, entry);
      this.#report(agentId, entry.workload);
    }
    // A list and a watch may overlap: a deleted pod does not come back.
    if (entry.isDeleted) return;
    entry.pod = pod;
    this.#assess(entry);
  }

  #drop({ agentId }: PodEntry): void {
    this.#entries.delete(agentId);
    this.#report(agentId, { phase: 'absent' });
    this.#events.emit(agentId);
  }

  /** Determines the workload again, and reports it if it has changed. After an end it never changes. */
  #assess(entry: PodEntry): void {
    if (entry.workload.phase !== 'ended') {
      this.#trackWaiting(entry);
      const workload = workloadOf(entry);
      if (!isDeepStrictEqual(workload, entry.workload)) {
        entry.workload = workload;
        this.#report(entry.agentId, workload);
      }
    }
    this.#events.emit(entry.agentId);
  }

  #trackWaiting(entry: PodEntry): void {
    const reason = containerState(entry.pod).waiting?.reason;
    if (reason === entry.waitingReason) return;
    entry.waitingReason = reason;
    entry.isOverdue = false;
    if (reason !== undefined) void this.#markOverdue(entry, reason);
  }

  async #markOverdue(entry: PodEntry, reason: string): Promise<void> {
    if (!(await pause(this.#options.creationTimeoutMs, this.#stop.signal))) return;
    if (this.get(entry.agentId) !== entry || entry.waitingReason !== reason) return;
    entry.isOverdue = true;
    this.#assess(entry);
  }

  #report(agentId: string, workload: Workload): void {
    const observation: AgentObservation = { type: 'workload', agentId, workload };
    this.#events.emit('change', observation);
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
    this.#synced.resolve(false);
  }
}

function newEntry(agentId: string, pod: Pod): PodEntry {
  return {
    agentId,
    pod,
    workload: { phase: 'waiting' },
    isDeleted: false,
    isStopping: false,
    isRemoving: false,
    isOverdue: false,
    waitingReason: undefined,
  };
}
