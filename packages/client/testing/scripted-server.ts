import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { serve } from '@session/testing/serve';
import { type AdminClient, createAdminClient } from '../src/admin.ts';
import type { ClientOptions } from '../src/index.ts';

interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Answers a request, or leaves it unanswered. */
export type ScriptedAnswer = (response: ServerResponse, received: Received) => unknown;

export interface ScriptedServer extends AsyncDisposable {
  readonly url: string;
  readonly received: readonly Received[];
  /** Returns a client of this server that waits between retries only when the server says so. */
  client(options?: Partial<ClientOptions>): AdminClient;
}

/** Returns a server that gives these answers in turn, and then repeats the last one. */
export async function scriptedServer(...answers: ScriptedAnswer[]): Promise<ScriptedServer> {
  const received: Received[] = [];
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '', headers } = request;
    const found = { method, url, headers, body: await text(request) };
    const answer = answers[received.length] ?? answers.at(-1);
    received.push(found);
    await answer?.(response, found);
  };
  const server = await serve((request, response) => {
    // A client may give up while it sends.
    receive(request, response).catch(() => response.destroy());
  });
  return {
    ...server,
    received,
    client: (options) =>
      createAdminClient({ baseUrl: server.url, random: () => 0, token: 'a-token', ...options }),
  };
}

export function json(
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): ScriptedAnswer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

export function problem(
  status: number,
  code: string,
  headers: Record<string, string> = {},
): ScriptedAnswer {
  const texts = { title: `Title of ${code}`, detail: `Detail of ${code}`, requestId: 'request-1' };
  const type = { 'content-type': 'application/problem+json' };
  return json({ type: `urn:problem:${code}`, status, code, ...texts }, status, {
    ...type,
    ...headers,
  });
}

export const lost: ScriptedAnswer = (response) => response.destroy();

export const silent: ScriptedAnswer = () => {};

/** Sends the first half of an answer, and hangs up. */
export function cut(body: unknown, status = 200): ScriptedAnswer {
  return (response) => {
    const whole = JSON.stringify(body);
    response.writeHead(status, { 'content-length': whole.length });
    response.write(whole.slice(0, whole.length / 2));
    response.once('drain', () => response.destroy());
    setImmediate(() => response.destroy());
  };
}

/** Sends the first half of an answer, without a length that would show it. */
export function cutUnseen(body: unknown): ScriptedAnswer {
  return (response) => {
    const whole = JSON.stringify(body);
    response.useChunkedEncodingByDefault = false;
    response.removeHeader('transfer-encoding');
    response.setHeader('connection', 'close');
    response.writeHead(200);
    response.end(whole.slice(0, whole.length / 2));
  };
}

/** Sends events, and ends the stream. Without `complete` among them that is a broken connection. */
export function events(...lines: string[]): ScriptedAnswer {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.end(`retry: 1\n\n${lines.join('')}`);
  };
}

export function lineEvent(number: number): string {
  const data = { timestamp: '2026-11-21T08:00:04.250Z', line: `line ${number}` };
  return `id: ${number}\ndata: ${JSON.stringify(data)}\n\n`;
}
