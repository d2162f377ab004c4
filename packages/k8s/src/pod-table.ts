import { EventEmitter, once } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { type AgentObservation, tellWorkloads, type Workload } from '@session/agents';
import { pause } from '@session/kit';
import { containerState, hasStarted, type Pod } from './pod.ts';
import { AGENT_ID } from './pod-spec.ts';
import { workloadOf } from './pod-status.ts';
import type { PodListener } from './pod-watch.ts';

const CHANGED_AT_MOST_MS = 1000;

/** An agent's pod, until it is removed: its end outlives it here. */
export interface Entry {
  readonly agentId: string;
  pod: Pod;
  workload: Workload;
  isGone: boolean;
  isStopping: boolean;
  isRemoving: boolean;
  /** The reason for which its container waits, and whether that has been so for too long. */
  waitsFor: string | undefined;
  isOverdue: boolean;
}

export interface PodTableOptions {
  /** How long a container may fail to be made for a reason that often passes: its secret follows its pod. */
  readonly creationPatienceMs: number;
  readonly onFailure: (error: unknown) => void;
}

/**
 * What is known of the pods of all agents, and who wants to hear of it. An entry comes with its pod and is told with each
 * change of what that means. One that has ended stays as it ended, pod or no pod, until it is removed.
 */
export class PodTable implements PodListener, Disposable {
  readonly #options: PodTableOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #events = new EventEmitter().setMaxListeners(0);
  readonly #synced = Promise.withResolvers<boolean>();
  readonly #stop = new AbortController();
  /** What stood before the list that is being asked for. */
  #before: readonly Entry[] = [];

  constructor(options: PodTableOptions) {
    this.#options = options;
  }

  get(agentId: string): Entry | undefined {
    return this.#entries.get(agentId);
  }

  /** Resolves with whether all that stands is known: with false when we go before that. */
  get synced(): Promise<boolean> {
    return this.#synced.promise;
  }

  listing(): void {
    this.#before = [...this.#entries.values()];
  }

  listed(pods: readonly Pod[]): void {
    const standing = new Set(pods.map(({ metadata }) => metadata.uid));
    for (const pod of pods) this.changed(pod);
    for (const entry of this.#before) {
      if (!standing.has(entry.pod.metadata.uid)) this.#lose(entry);
    }
    this.#synced.resolve(true);
  }

  changed(pod: Pod): void {
    const agentId = pod.metadata.labels?.[AGENT_ID];
    if (agentId !== undefined) this.#take(agentId, pod);
  }

  /** Takes a pod as its maker was told of it: what the watch has told of it meanwhile is newer. */
  made(pod: Pod): void {
    const agentId = pod.metadata.labels?.[AGENT_ID];
    if (this.get(agentId ?? '')?.pod.metadata.uid !== pod.metadata.uid) this.changed(pod);
  }

  deleted(pod: Pod): void {
    const entry = this.get(pod.metadata.labels?.[AGENT_ID] ?? '');
    if (entry?.pod.metadata.uid !== pod.metadata.uid) return;
    entry.pod = pod;
    this.#lose(entry);
  }

  failed(error: unknown): void {
    this.#options.onFailure(error);
  }

  /** Says that it was removed: nothing is known of it any more as soon as it is gone. */
  remove(entry: Entry): void {
    entry.isRemoving = true;
    if (entry.isGone) this.#drop(entry);
  }

  /** Says that its pod is gone, without anybody having seen it go. */
  gone(entry: Entry): void {
    this.#lose(entry);
  }

  async *observe(signal: AbortSignal): AsyncGenerator<AgentObservation> {
    if (!(await this.synced)) return;
    yield* tellWorkloads(this.#entries.values(), this.#events, signal);
  }

  /** Resolves when the agent's program has begun to run, or will not, or `signal` aborts. */
  async started(agentId: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      const entry = this.get(agentId);
      if (!entry || hasStarted(entry.pod) || entry.workload.phase === 'ended') return;
      if (signal.aborted) return;
      await once(this.#events, agentId, { signal }).catch(() => {});
    }
  }

  /** Resolves when anything of the agent's pod has changed, or after a second, or when `signal` aborts. */
  async changedOnce(agentId: string, signal: AbortSignal): Promise<void> {
    const atMost = AbortSignal.any([signal, AbortSignal.timeout(CHANGED_AT_MOST_MS)]);
    await once(this.#events, agentId, { signal: atMost }).catch(() => {});
  }

  #take(agentId: string, pod: Pod): void {
    let entry = this.#entries.get(agentId);
    if (entry?.pod.metadata.uid !== pod.metadata.uid) {
      const flags = { isGone: false, isStopping: false, isRemoving: false, isOverdue: false };
      const workload: Workload = { phase: 'waiting' };
      entry = { agentId, pod, workload, waitsFor: undefined, ...flags };
      this.#entries.set(agentId, entry);
      this.#tell(agentId, workload);
    }
    // A list and a watch may overlap: what is gone does not come back.
    if (entry.isGone) return;
    entry.pod = pod;
    this.#assess(entry);
  }

  #lose(entry: Entry): void {
    if (this.get(entry.agentId) !== entry || entry.isGone) return;
    entry.isGone = true;
    if (entry.isRemoving) this.#drop(entry);
    else this.#assess(entry);
  }

  #drop({ agentId }: Entry): void {
    this.#entries.delete(agentId);
    this.#tell(agentId, { phase: 'absent' });
    this.#events.emit(agentId);
  }

  /** Says anew what the pod means. The end is said once. */
  #assess(entry: Entry): void {
    if (entry.workload.phase !== 'ended') {
      this.#watchWaiting(entry);
      const workload = workloadOf(entry);
      if (!isDeepStrictEqual(workload, entry.workload)) {
        entry.workload = workload;
        this.#tell(entry.agentId, workload);
      }
    }
    this.#events.emit(entry.agentId);
  }

  #watchWaiting(entry: Entry): void {
    const reason = containerState(entry.pod).waiting?.reason;
    if (reason === entry.waitsFor) return;
    entry.waitsFor = reason;
    entry.isOverdue = false;
    if (reason !== undefined) void this.#expire(entry, reason);
  }

  async #expire(entry: Entry, reason: string): Promise<void> {
    if (!(await pause(this.#options.creationPatienceMs, this.#stop.signal))) return;
    if (this.get(entry.agentId) !== entry || entry.waitsFor !== reason) return;
    entry.isOverdue = true;
    this.#assess(entry);
  }

  #tell(agentId: string, workload: Workload): void {
    const observation: AgentObservation = { type: 'workload', agentId, workload };
    this.#events.emit('change', observation);
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
    this.#synced.resolve(false);
  }
}
