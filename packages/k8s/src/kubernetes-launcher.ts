import {
  type AgentLaunch,
  type AgentLauncher,
  type AgentObservation,
  LaunchRefused,
  type LogLine,
  type LogQuery,
  type StartTimes,
} from '@session/agents';
import { ApiError, hasStatus } from './api-error.ts';
import type { ApiServer } from './api-server.ts';
import { launchFailure } from './launch-failure.ts';
import { Pod, startTimesOf } from './pod.ts';
import { podLog } from './pod-log.ts';
import { type PodOptions, podName, podOf, secretOf, selectorOf } from './pod-spec.ts';
import { type Entry, PodTable, type PodTableOptions } from './pod-table.ts';
import { PodWatch, WATCH_TIMING, type WatchTiming } from './pod-watch.ts';

/** A pod whose secret comes later waits 10 to 15 s, so this is not for long. */
const SECRET_TIMEOUT_MS = 2000;
/** For pods that have nothing to end: none at all would take them from the node behind its back. */
const SHORTEST_GRACE_SECONDS = 1;

export interface KubernetesLauncherOptions extends PodOptions, Partial<PodTableOptions> {
  readonly api: ApiServer;
  readonly namespace: string;
  /** Told of each time that the pods cannot be listed or watched. */
  readonly onFailure: (error: unknown) => void;
  readonly timing?: WatchTiming;
}

/**
 * Runs each agent as a pod of its own, with a secret that the pod owns. Pods outlive us: disposal only ends the watching.
 * Deleting a pod is the only way to stop it, and takes its log with it; who wants that follows it.
 */
export class KubernetesLauncher implements AgentLauncher {
  readonly #options: KubernetesLauncherOptions;
  readonly #table: PodTable;
  readonly #watch: PodWatch;
  readonly #starts = new Map<string, Promise<void>>();
  /** Whose secret has been made by us, or seen. */
  readonly #equipped = new WeakSet<Entry>();
  #isDisposed = false;

  constructor(options: KubernetesLauncherOptions) {
    const {
      api,
      instance,
      timing = WATCH_TIMING,
      creationPatienceMs = 30_000,
      onFailure,
    } = options;
    this.#options = options;
    this.#table = new PodTable({ creationPatienceMs, onFailure });
    const listener = this.#table;
    const what = { pathname: this.#path('pods'), selector: selectorOf(instance) };
    this.#watch = new PodWatch({ api, ...what, listener, timing });
  }

  async start(launch: AgentLaunch): Promise<void> {
    const { agentId } = launch;
    if (this.#isDisposed) throw new Error('the launcher has been disposed of');
    const start = this.#starts.get(agentId) ?? this.#start(launch);
    this.#starts.set(agentId, start);
    try {
      await start;
    } finally {
      this.#starts.delete(agentId);
    }
  }

  async stop(agentId: string, graceSeconds: number): Promise<void> {
    const entry = this.#table.get(agentId);
    if (entry?.isStopping || entry?.workload.phase === 'ended') return;
    // Before it is asked for: the answer may come after the pod has gone.
    if (entry) entry.isStopping = true;
    try {
      await this.#deletePod(agentId, Math.max(Math.ceil(graceSeconds), SHORTEST_GRACE_SECONDS));
    } catch (error) {
      if (entry) entry.isStopping = false;
      throw error;
    }
  }

  async remove(agentId: string): Promise<void> {
    const entry = this.#table.get(agentId);
    if (entry?.workload.phase !== 'ended') return;
    this.#table.remove(entry);
    if (!entry.isGone && !(await this.#deletePod(agentId, SHORTEST_GRACE_SECONDS))) {
      this.#table.gone(entry);
    }
  }

  startTimes(agentId: string): StartTimes {
    const entry = this.#table.get(agentId);
    return entry ? startTimesOf(entry.pod) : {};
  }

  observe(signal: AbortSignal): AsyncIterable<AgentObservation> {
    return this.#table.observe(signal);
  }

  async *logs(agentId: string, query: LogQuery = {}): AsyncGenerator<LogLine> {
    const table = this.#table;
    if (!(await table.synced) || !table.get(agentId)) return;
    const source = {
      pathname: this.#path('pods', podName(agentId)),
      hasEnded: () => (table.get(agentId)?.workload.phase ?? 'ended') === 'ended',
      started: (signal: AbortSignal) => table.started(agentId, signal),
      changed: (signal: AbortSignal) => table.changedOnce(agentId, signal),
    };
    yield* podLog(this.#options.api, source, query);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    this.#table[Symbol.dispose]();
    await this.#watch[Symbol.asyncDispose]();
  }

  /** The pod first: who is killed between the two leaves no key behind that nobody owns. */
  async #start(launch: AgentLaunch): Promise<void> {
    const standing = this.#table.get(launch.agentId);
    if (standing && (standing.workload.phase !== 'waiting' || this.#equipped.has(standing))) return;
    if (!standing) this.#table.made(await this.#providePod(launch));
    const entry = this.#table.get(launch.agentId);
    if (entry?.workload.phase !== 'waiting') return;
    await this.#provideSecret(launch, entry);
    this.#equipped.add(entry);
  }

  /** Gives the agent's pod, which is made unless it is there. */
  async #providePod(launch: AgentLaunch): Promise<Pod> {
    const { api } = this.#options;
    const body = podOf(launch, this.#options);
    try {
      return Pod.parse(await api.call('POST', this.#path('pods'), { body }));
    } catch (error) {
      if (!(error instanceof ApiError && error.reason === 'AlreadyExists'))
        throw launchFailure(error);
    }
    const pathname = this.#path('pods', podName(launch.agentId));
    const pod = Pod.parse(await api.call('GET', pathname));
    const wanted = body.metadata?.labels ?? {};
    const isOurs = Object.entries(wanted).every(
      ([name, value]) => name.endsWith('/version') || pod.metadata.labels?.[name] === value,
    );
    if (isOurs) return pod;
    const detail = `There is another pod called ${pod.metadata.name} in its namespace.`;
    throw new LaunchRefused({ reason: 'bad_configuration', detail });
  }

  /** An immutable one that is there already is the agent's own, made by whoever made the pod. */
  async #provideSecret(launch: AgentLaunch, { pod }: Entry): Promise<void> {
    const body = secretOf(launch, pod.metadata.uid, this.#options);
    const create = async () => {
      const options = { body, timeoutMs: SECRET_TIMEOUT_MS };
      await this.#options.api.call('POST', this.#path('secrets'), options);
    };
    try {
      // Once more at once, whatever it was: its pod waits.
      await create().catch((error: unknown) => {
        if (error instanceof ApiError && error.status < 500) throw error;
        return create();
      });
    } catch (error) {
      if (!(error instanceof ApiError && error.reason === 'AlreadyExists'))
        throw launchFailure(error);
    }
  }

  /** Gives whether there was a pod to delete. */
  async #deletePod(agentId: string, gracePeriodSeconds: number): Promise<boolean> {
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds };
    try {
      await this.#options.api.call('DELETE', this.#path('pods', podName(agentId)), { body });
      return true;
    } catch (error) {
      if (hasStatus(error, 404)) return false;
      throw error;
    }
  }

  #path(...parts: readonly string[]): string {
    return ['/api/v1/namespaces', this.#options.namespace, ...parts].join('/');
  }
}
