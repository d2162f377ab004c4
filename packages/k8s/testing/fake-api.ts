import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { serve } from '@session/testing/serve';
import { type ApiServer, openApiServer } from '../src/api-server.ts';

export interface FakeRequest {
  /** `GET /api/v1/pods?watch=true` */
  readonly line: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  /** The parsed JSON, or undefined. */
  readonly body: unknown;
}

export interface FakeApi extends AsyncDisposable {
  readonly api: ApiServer;
  /** The path of the kubeconfig for this server. */
  readonly kubeconfig: string;
  /** All requests so far. */
  readonly requests: readonly FakeRequest[];
}

/**
 * Starts an HTTP server in place of a Kubernetes API server, for faults that a real one does not make on demand. `respond`
 * answers each request, and may leave the response open.
 */
export async function openFakeApi(
  respond: (request: FakeRequest, response: ServerResponse) => void,
): Promise<FakeApi> {
  await using stack = new AsyncDisposableStack();
  const requests: FakeRequest[] = [];
  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const request = await readRequest(incoming);
    requests.push(request);
    respond(request, response);
  };
  const { url } = stack.use(await serve((incoming, response) => void handle(incoming, response)));
  const folder = await mkdtemp(path.join(tmpdir(), 'fake-api-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const kubeconfig = path.join(folder, 'kubeconfig');
  await writeFile(kubeconfig, kubeconfigOf(url));
  const api = stack.use(openApiServer(kubeconfig));
  const owned = stack.move();
  return { api, kubeconfig, requests, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function readRequest(incoming: IncomingMessage): Promise<FakeRequest> {
  const body = await text(incoming);
  return {
    line: `${incoming.method} ${incoming.url}`,
    url: new URL(incoming.url ?? '', 'http://api'),
    headers: incoming.headers,
    body: body ? JSON.parse(body) : undefined,
  };
}

/** Ends a response with a JSON body. */
export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Ends a response with Kubernetes' error body. */
export function sendError(
  response: ServerResponse,
  status: number,
  reason: string,
  message = reason,
): void {
  sendJson(response, status, { kind: 'Status', status: 'Failure', code: status, reason, message });
}

/** Returns a kubeconfig in JSON, which is YAML too. The library only allows HTTP if TLS is not verified. */
function kubeconfigOf(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'u', user: { token: 'a-token' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
}
