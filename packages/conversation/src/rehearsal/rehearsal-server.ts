import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { http, readBody } from '@session/kit';
import { REHEARSAL_KEY } from '../settings/settings.ts';
import { RehearsalRequest, type Rehearsed, rehearse } from './rehearse.ts';

export interface RehearsalServer extends AsyncDisposable {
  readonly baseUrl: string;
}

const MODEL = 'rehearsal';
const MAX_BODY_BYTES = 4_194_304;

/**
 * Starts the rehearsal model on loopback, behind the same HTTP interface as any other model, so agents need no special code
 * for it. It answers only requests with its key, which no web page can send.
 */
export async function startRehearsalServer(): Promise<RehearsalServer> {
  const server = http.createServer((request, response) => {
    void respond(request, response).catch(() => fail(response, 400, 'The request is not valid.'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.headers.authorization !== `Bearer ${REHEARSAL_KEY}`) {
    fail(response, 401, 'The key is wrong.');
    return;
  }
  const operation = `${request.method} ${request.url}`;
  if (operation === 'GET /v1/models') {
    answerJson(response, 200, { object: 'list', data: [{ id: MODEL, object: 'model' }] });
    return;
  }
  if (operation !== 'POST /v1/chat/completions') {
    fail(response, 404, 'There is no such operation.');
    return;
  }
  const body = (await readBody(request, MAX_BODY_BYTES)) ?? '';
  stream(response, rehearse(RehearsalRequest.parse(JSON.parse(body))), body.length);
}

function stream(response: ServerResponse, { text, calls }: Rehearsed, promptLength: number): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  const send = (delta: object, reason: string | null = null) => {
    const choices = [{ index: 0, delta, finish_reason: reason }];
    response.write(`data: ${JSON.stringify({ object: 'chat.completion.chunk', choices })}\n\n`);
  };
  send({ role: 'assistant', content: '' });
  for (const content of text.match(/\S+\s*/g) ?? []) send({ content });
  for (const [index, { name, args }] of calls.entries()) {
    const id = `call_${index}`;
    const called = { name, arguments: JSON.stringify(args) };
    send({ tool_calls: [{ index, id, type: 'function', function: called }] });
  }
  send({}, calls.length > 0 ? 'tool_calls' : 'stop');
  const usage = {
    prompt_tokens: Math.ceil(promptLength / 4),
    completion_tokens: Math.ceil(text.length / 4) + calls.length,
  };
  response.write(`data: ${JSON.stringify({ choices: [], usage })}\n\n`);
  response.end('data: [DONE]\n\n');
}

function fail(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent) response.destroy();
  else answerJson(response, status, { error: { message, type: 'invalid_request_error' } });
}

function answerJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
