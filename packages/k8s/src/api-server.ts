import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { HttpMethod, type KubeConfig, RequestContext } from '@kubernetes/client-node';
import { StartError } from '@session/kit';
import { Agent, type Dispatcher, interceptors, request } from 'undici';
import { ApiServerError } from './api-error.ts';
import { Http1KubeConfig } from './http1-kube-config.ts';

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount/token';
const CALL_TIMEOUT_MS = 15_000;
/** Retries after 429, 5xx and broken connections. A `Retry-After` header overrides the delays. */
const RETRY = {
  maxRetries: 3,
  minTimeout: 100,
  maxTimeout: 5000,
  methods: ['GET', 'POST', 'DELETE'] satisfies Dispatcher.HttpMethod[],
  throwOnError: false,
};

export interface ApiServerCall {
  readonly body?: object;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Calls the API server, and streams its responses. Uses the official library only to authenticate, because the library
 * opens a connection for each request.
 */
export class ApiServer implements AsyncDisposable {
  readonly #config: KubeConfig;
  #dispatcher: Dispatcher | undefined;

  constructor(config: KubeConfig) {
    this.#config = config;
  }

  /**
   * Returns the response to a request. Throws an ApiServerError when the server refuses it, and another error when no
   * response comes.
   */
  async call(
    method: 'DELETE' | 'GET' | 'POST',
    pathname: string,
    { body, timeoutMs = CALL_TIMEOUT_MS, signal }: ApiServerCall = {},
  ): Promise<unknown> {
    const { url, headers, dispatcher } = await this.#prepare(method, pathname);
    return await this.#replaceOnFailure(dispatcher, async () => {
      const response = await request(url, {
        method,
        headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
        dispatcher: dispatcher.compose(interceptors.retry(RETRY)),
        signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
      });
      const text = await response.body.text();
      if (response.statusCode >= 300) throw ApiServerError.of(response.statusCode, text);
      return JSON.parse(text);
    });
  }

  /** Returns a response as a stream, which may never end. Throws as `call` does; reading throws when the stream breaks. */
  async open(pathname: string, signal: AbortSignal): Promise<AsyncIterable<Buffer>> {
    const { url, headers, dispatcher } = await this.#prepare('GET', pathname);
    return await this.#replaceOnFailure(dispatcher, async () => {
      const response = await request(url, { headers, dispatcher, signal, bodyTimeout: 0 });
      if (response.statusCode >= 300) {
        throw ApiServerError.of(response.statusCode, await response.body.text());
      }
      return response.body;
    });
  }

  async #prepare(method: keyof typeof HttpMethod, pathname: string) {
    const server = this.#config.getCurrentCluster()?.server ?? '';
    const url = new URL(`${server.replace(/\/$/, '')}${pathname}`);
    const context = new RequestContext(url.href, HttpMethod[method]);
    // Done for each request, because a service account's token is a file that changes every hour.
    await this.#config.applySecurityAuthentication(context);
    this.#dispatcher ??= context.getDispatcher() ?? new Agent();
    return { url, headers: context.getHeaders(), dispatcher: this.#dispatcher };
  }

  /**
   * Replaces the connections after a failure, because the certificates with which the connections were opened may have
   * changed.
   */
  async #replaceOnFailure<T>(dispatcher: Dispatcher, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ApiServerError) && this.#dispatcher === dispatcher) {
        this.#dispatcher = undefined;
        // Running requests may finish without being awaited.
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
 * Returns a client for the current cluster of `kubeconfig`. Without `kubeconfig`, uses the cluster in which this process runs,
 * and outside a cluster `~/.kube/config`. Throws a StartError if the file cannot be read or has no current cluster.
 */
export function openApiServer(kubeconfig?: string): ApiServer {
  const config = new Http1KubeConfig();
  const file = kubeconfig ?? path.join(homedir(), '.kube/config');
  try {
    if (kubeconfig === undefined && existsSync(SERVICE_ACCOUNT)) config.loadFromCluster();
    else config.loadFromFile(file);
  } catch (cause) {
    throw new StartError(
      `${file} cannot be read: set KUBECONFIG to the path of your cluster’s kubeconfig.`,
      { cause },
    );
  }
  if (config.getCurrentCluster()?.server) return new ApiServer(config);
  throw new StartError(
    `${file} has no current cluster: choose one with “kubectl config use-context”.`,
  );
}
