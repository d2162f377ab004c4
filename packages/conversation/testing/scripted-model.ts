import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { ModelSettings } from '../src/settings/settings.ts';

/** The key in every request of the tests. */
export const PLANTED_KEY = 'sk-planted-secret-1234';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
  /** Aborts when the client gives the request up. */
  readonly gone: AbortSignal;
}

export type Reply = (response: ServerResponse, request: ReceivedRequest) => void | Promise<void>;

export interface ScriptedModel extends AsyncDisposable {
  readonly baseUrl: string;
  readonly port: number;
  readonly requests: readonly ReceivedRequest[];
  readonly settings: ModelSettings;
}

/** Starts an endpoint that answers each request with the next reply; the last reply answers all others. */
export async function startScriptedModel(...replies: readonly Reply[]): Promise<ScriptedModel> {
  const requests: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    void receive(request, response).then((received) => {
      requests.push(received);
      return replies[Math.min(requests.length, replies.length) - 1]?.(response, received);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  return {
    baseUrl,
    port,
    requests,
    settings: modelSettings({ baseUrl }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Returns settings in which no timer fires during a test. `fields` replace the defaults. */
export function modelSettings(fields: Partial<ModelSettings> = {}): ModelSettings {
  return {
    prefix: 'LLM',
    baseUrl: 'http://127.0.0.1:9/v1',
    apiKey: PLANTED_KEY,
    model: 'scripted',
    temperature: undefined,
    maxOutputTokens: 800,
    contextTokens: 8192,
    firstTokenMs: 60_000,
    idleMs: 60_000,
    turnMs: 60_000,
    extraBody: {},
    budgetTokens: undefined,
    fallback: undefined,
    proxies: {},
    ...fields,
  };
}

/** Streams `deltas`, each in a chunk, and ends as OpenAI does. */
export function streams(...deltas: readonly unknown[]): Reply {
  return (response) => {
    begin(response);
    for (const delta of deltas) send(response, { choices: [{ index: 0, delta }] });
    finish(response);
  };
}

export function says(...words: readonly string[]): Reply {
  return streams(...words.map((content) => ({ content })));
}

/** Calls tools, in the form of OpenAI: name and id, then the arguments in parts, each with an index. */
export function calls(...called: readonly (readonly [name: string, args: unknown])[]): Reply {
  return streams(
    ...called.flatMap(([name, args], index) => {
      const json = JSON.stringify(args);
      const half = Math.floor(json.length / 2);
      const part = (fields: object) => ({ tool_calls: [{ index, ...fields }] });
      return [
        part({ id: `call-${index}`, type: 'function', function: { name, arguments: '' } }),
        part({ function: { arguments: json.slice(0, half) } }),
        part({ function: { arguments: json.slice(half) } }),
      ];
    }),
  );
}

/** Calls a tool with arguments that are cut where the endpoint reaches its limit. */
export function cutCall(name: string, json: string): Reply {
  const part = { index: 0, id: 'call-0', type: 'function', function: { name, arguments: json } };
  return (response) => {
    begin(response);
    send(response, { choices: [{ index: 0, delta: { tool_calls: [part] } }] });
    finish(response, 'length');
  };
}

/** Answers with a status, and a body as JSON unless it is a text. */
export function fails(
  status: number,
  body: unknown = { error: { message: `The key ${PLANTED_KEY} is wrong` } },
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** A reply that waits: `words` lets its first words come, `end` lets it end. */
export interface HeldReply {
  readonly reply: Reply;
  readonly words: () => void;
  readonly end: () => void;
}

/** Returns a reply of `text` that waits before its first word and before its end. */
export function holds(text: string): HeldReply {
  const words = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const reply: Reply = async (response) => {
    await words.promise;
    begin(response);
    sendWords(response, text);
    await end.promise;
    response.end('data: [DONE]\n\n');
  };
  return { reply, words: () => words.resolve(), end: () => end.resolve() };
}

/** Says two words, and never ends. */
export const stalls: Reply = (response) => {
  begin(response);
  sendWords(response, 'One moment');
};

export function begin(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  response.flushHeaders();
}

export function send(response: ServerResponse, chunk: unknown): void {
  response.write(`data: ${JSON.stringify(chunk)}\n\n`);
}

export function sendWords(response: ServerResponse, content: string): void {
  send(response, { choices: [{ index: 0, delta: { content } }] });
}

/** Ends a stream as OpenAI does: the reason, the usage, and a last word. */
export function finish(response: ServerResponse, reason = 'stop'): void {
  send(response, { choices: [{ index: 0, delta: {}, finish_reason: reason }] });
  send(response, { choices: [], usage: { prompt_tokens: 100, completion_tokens: 10 } });
  response.end('data: [DONE]\n\n');
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<ReceivedRequest> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
  const { method = '', url: path = '', headers } = request;
  const parsed: unknown = body === '' ? {} : JSON.parse(body);
  const fields = typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  return { method, path, headers, body: fields, gone: gone.signal };
}
