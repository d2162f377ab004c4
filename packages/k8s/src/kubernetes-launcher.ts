import {
  type AgentLauncher,
  type AgentObservation,
  LaunchRefused,
  type LaunchRequest,
  type LogLine,
  type LogQuery,
  type StartTimes,
} from '@session/agents';
import { step } from '@session/kit';
import { ApiServerError, hasStatus } from './api-error.ts';
import type { ApiServer } from './api-server.ts';
import { launchFailure } from './launch-failure.ts';
import { Pod, startTimesOf } from './pod.ts';
import { podLog } from './pod-log.ts';
import { type PodOptions, podName, podOf, secretOf, selectorOf } from './pod-spec.ts';
import { PodTable, type PodTableOptions, type TrackedPod } from './pod-table.ts';
import { PodWatch, WATCH_TIMING, type WatchTiming } from './pod-watch.ts';

const CREATION_TIMEOUT_MS = 30_000;
/** Without the secret, the kubelet retries only every 10 to 15 s, so the request for the secret must fail early. */
const SECRET_TIMEOUT_MS = 2000;
/**
 * For pods whose program has ended already. Without any grace, Kubernetes would delete the pod before its node has
 * stopped it.
 */
const SHORTEST_GRACE_SECONDS = 1;

export interface KubernetesLauncherOptions extends PodOptions, Partial<PodTableOptions> {
  readonly api: ApiServer;
  readonly namespace: string;
  readonly onFailure: (error: unknown) => void;
  readonly timing?: WatchTiming;
}

/**
 * Runs each agent as a pod, which owns a secret. Disposal only ends the watch. A stop deletes the pod with its log, and only a
 * reader that already follows the log receives all of it.
 */
export class KubernetesLauncher implements AgentLauncher {
  readonly #options: KubernetesLauncherOptions;
  readonly #table: PodTable;
  readonly #watch: PodWatch;
  readonly #starts = new Map<string, Promise<void>>();
  readonly #haveSecret = new WeakSet<TrackedPod>();
  #isDisposed = false;

  constructor(options: KubernetesLauncherOptions) {
    const { api, instance, onFailure } = options;
    const { timing = WATCH_TIMING, creationTimeoutMs = CREATION_TIMEOUT_MS } = options;
    this.#options = options;
    this.#table = new PodTable({ creationTimeoutMs, onFailure });
    const listener = this.#table;
    const pods = { pathname: this.#path('pods'), selector: selectorOf(instance) };
    this.#watch = new PodWatch({ api, ...pods, listener, timing });
  }

  async start(request: LaunchRequest): Promise<void> {
    const { workloadId } = request;
    if (this.#isDisposed) throw new Error('the launcher has been disposed of');
    const start = this.#starts.get(workloadId) ?? this.#start(request);
    this.#starts.set(workloadId, start);
    try {
      await start;
    } finally {
      this.#starts.delete(workloadId);
    }
  }

  async stop(workloadId: string, graceSeconds: number): Promise<void> {
    const tracked = this.#table.get(workloadId);
    if (tracked?.isStopping || tracked?.workload.phase === 'ended') return;
    // Set before the request, because the response may arrive after the report that the pod is deleted.
    if (tracked) tracked.isStopping = true;
    try {
      await this.#deletePod(workloadId, Math.max(Math.ceil(graceSeconds), SHORTEST_GRACE_SECONDS));
    } catch (error) {
      if (tracked) tracked.isStopping = false;
      throw error;
    }
  }

  async remove(workloadId: string): Promise<void> {
    const tracked = this.#table.get(workloadId);
    // A pod that was given up may exist until its node is removed.
    if (tracked?.workload.phase !== 'ended' || tracked.isRemovedOnceDeleted) return;
    this.#table.removeOnceDeleted(tracked);
    if (tracked.isDeleted) return;
    try {
      const exists = await this.#deletePod(workloadId, SHORTEST_GRACE_SECONDS);
      if (!exists) this.#table.markDeleted(tracked);
    } catch (error) {
      tracked.isRemovedOnceDeleted = false;
      throw error;
    }
  }

  startTimes(workloadId: string): StartTimes {
    const tracked = this.#table.get(workloadId);
    return tracked ? startTimesOf(tracked.pod) : {};
  }

  observe(signal: AbortSignal): AsyncIterable<AgentObservation> {
    return this.#table.observe(signal);
  }

  async *logs(workloadId: string, query: LogQuery = {}): AsyncGenerator<LogLine> {
    const table = this.#table;
    if (!(await table.synced) || !table.get(workloadId)) return;
    const source = {
      pathname: this.#path('pods', podName(workloadId)),
      hasEnded: () => (table.get(workloadId)?.workload.phase ?? 'ended') === 'ended',
      untilStarted: (signal: AbortSignal) => table.untilStarted(workloadId, signal),
      untilChanged: (signal: AbortSignal) => table.untilChanged(workloadId, signal),
    };
    yield* podLog(this.#options.api, source, query);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    this.#table[Symbol.dispose]();
    await this.#watch[Symbol.asyncDispose]();
  }

  /**
   * Creates the pod first, so that a process that is killed leaves no secret without an owner. The next start creates the
   * secret.
   */
  async #start(request: LaunchRequest): Promise<void> {
    const existing = this.#table.get(request.workloadId);
    if (existing && (existing.workload.phase !== 'waiting' || this.#haveSecret.has(existing)))
      return;
    if (!existing) {
      this.#table.created(await step('create pod', () => this.#ensurePod(request)));
    }
    const tracked = this.#table.get(request.workloadId);
    if (tracked?.workload.phase !== 'waiting') return;
    await step('create secret', () => this.#ensureSecret(request, tracked));
    this.#haveSecret.add(tracked);
  }

  async #ensurePod(request: LaunchRequest): Promise<Pod> {
    const { api } = this.#options;
    const body = podOf(request, this.#options);
    try {
      return Pod.parse(await api.call('POST', this.#path('pods'), { body }));
    } catch (error) {
      if (!isAlreadyExists(error)) throw launchFailure(error);
    }
    const pathname = this.#path('pods', podName(request.workloadId));
    const pod = Pod.parse(await api.call('GET', pathname));
    const wanted = body.metadata?.labels ?? {};
    const isOurs = Object.entries(wanted).every(
      ([name, value]) => name.endsWith('/version') || pod.metadata.labels?.[name] === value,
    );
    if (isOurs) return pod;
    const detail = `The namespace contains another pod with the name ${pod.metadata.name}. The operator must delete that pod.`;
    throw new LaunchRefused({ reason: 'bad_configuration', detail });
  }

  /** Creates the secret. It may exist already, because the process that created the pod may have created the secret too. */
  async #ensureSecret(request: LaunchRequest, { pod }: TrackedPod): Promise<void> {
    const body = secretOf(request, pod.metadata.uid, this.#options);
    const create = async () => {
      const options = { body, timeoutMs: SECRET_TIMEOUT_MS };
      await this.#options.api.call('POST', this.#path('secrets'), options);
    };
    try {
      // Retried once without a delay, because the pod waits.
      await create().catch((error: unknown) => {
        if (error instanceof ApiServerError && error.status < 500) throw error;
        return create();
      });
    } catch (error) {
      if (!isAlreadyExists(error)) throw launchFailure(error);
    }
  }

  async #deletePod(workloadId: string, gracePeriodSeconds: number): Promise<boolean> {
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds };
    try {
      await this.#options.api.call('DELETE', this.#path('pods', podName(workloadId)), { body });
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

function isAlreadyExists(error: unknown): boolean {
  return error instanceof ApiServerError && error.reason === 'AlreadyExists';
}
