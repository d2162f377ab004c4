import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { HttpMethod, type KubeConfig, RequestContext } from '@kubernetes/client-node';
import { StartError } from '@session/kit';
import { Agent, type Dispatcher, interceptors, request } from 'undici';
import { ApiError } from './api-error.ts';
import { Http1KubeConfig } from './http1-kube-config.ts';

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount/token';
/** For a whole call, its repetitions included. */
const CALL_TIMEOUT_MS = 15_000;
/** 429, 5xx and cut connections; when the answer says after how long, that counts. */
const RETRY = {
  maxRetries: 3,
  minTimeout: 100,
  maxTimeout: 5000,
  methods: ['GET', 'POST', 'DELETE'] satisfies Dispatcher.HttpMethod[],
  throwOnError: false,
};

export interface CallOptions {
  readonly body?: object;
  readonly timeoutMs?: number;
}

/**
 * The API of a Kubernetes cluster, as far as it is needed: calls, and answers that go on. The client library knows how to
 * prove who we are; what it lacks is a connection that is used again, so the requests are made here.
 */
export class ApiServer implements AsyncDisposable {
  readonly #config: KubeConfig;
  #dispatcher: Dispatcher | undefined;

  constructor(config: KubeConfig) {
    this.#config = config;
  }

  /** Calls and gives the answer; throws an ApiError when that is a refusal, another error when there was none. */
  async call(
    method: 'DELETE' | 'GET' | 'POST',
    pathname: string,
    { body, timeoutMs = CALL_TIMEOUT_MS }: CallOptions = {},
  ): Promise<unknown> {
    const { url, headers, dispatcher } = await this.#prepare(method, pathname);
    return await this.#guard(dispatcher, async () => {
      const answer = await request(url, {
        method,
        headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
        dispatcher: dispatcher.compose(interceptors.retry(RETRY)),
        signal: AbortSignal.timeout(timeoutMs),
      });
      const text = await answer.body.text();
      if (answer.statusCode >= 300) throw ApiError.of(answer.statusCode, text);
      return JSON.parse(text);
    });
  }

  /** Gives an answer as it comes, which may take for ever; throws as `call` does. Its reader is told when it is cut off. */
  async open(pathname: string, signal: AbortSignal): Promise<AsyncIterable<Buffer>> {
    const { url, headers, dispatcher } = await this.#prepare('GET', pathname);
    return await this.#guard(dispatcher, async () => {
      const answer = await request(url, { headers, dispatcher, signal, bodyTimeout: 0 });
      if (answer.statusCode >= 300) {
        throw ApiError.of(answer.statusCode, await answer.body.text());
      }
      return answer.body;
    });
  }

  async #prepare(method: keyof typeof HttpMethod, pathname: string) {
    const server = this.#config.getCurrentCluster()?.server ?? '';
    const url = new URL(`${server.replace(/\/$/, '')}${pathname}`);
    const context = new RequestContext(url.href, HttpMethod[method]);
    // Each time: a service account's token is a file that changes every hour.
    await this.#config.applySecurityAuthentication(context);
    this.#dispatcher ??= context.getDispatcher() ?? new Agent();
    return { url, headers: context.getHeaders(), dispatcher: this.#dispatcher };
  }

  /** Goes on with new connections after a failure: the certificates that they begin with may have changed. */
  async #guard<T>(dispatcher: Dispatcher, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ApiError) && this.#dispatcher === dispatcher) {
        this.#dispatcher = undefined;
        // What is under way may end; nobody waits for that.
        dispatcher.close().catch(() => {});
      }
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dispatcher?.destroy();
  }
}

/**
 * Gives the cluster that the file `kubeconfig` names; without one, the cluster that we run in, else that of the user's own
 * file. Throws a StartError when there is none, or the file says nothing of use.
 */
export function openApiServer(kubeconfig?: string): ApiServer {
  const config = new Http1KubeConfig();
  const file = kubeconfig ?? path.join(homedir(), '.kube/config');
  try {
    if (kubeconfig === undefined && existsSync(SERVICE_ACCOUNT)) config.loadFromCluster();
    else config.loadFromFile(file);
  } catch (cause) {
    throw new StartError(
      `${file} cannot be read: set KUBECONFIG to a file that says how the cluster is reached.`,
      { cause },
    );
  }
  if (config.getCurrentCluster()?.server) return new ApiServer(config);
  throw new StartError(
    `${file} names no current cluster: choose one by kubectl config use-context.`,
  );
}
