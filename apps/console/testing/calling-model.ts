import type { IncomingMessage, ServerResponse } from 'node:http';
import { serve } from '@session/testing/serve';

interface CallingModel extends AsyncDisposable {
  readonly baseUrl: string;
  readonly toolUrl: string;
}

/**
 * Starts a server with a model and a tool. The model calls the tool `name` with `args` once a person has spoken, and then says
 * “There is a room.” The tool answers `answer`.
 */
export async function startCallingModel(
  name: string,
  args: unknown,
  answer: unknown,
): Promise<CallingModel> {
  const call = {
    index: 0,
    id: 'call_1',
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  };
  const server = await serve((request, response) => {
    void (async () => {
      const body = await bodyOf(request);
      if (!request.url?.startsWith('/v1/')) {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(answer));
      } else if (body.includes('"role":"tool"')) {
        stream(response, { content: 'There is a room.' });
      } else stream(response, { tool_calls: [call] });
    })();
  });
  return {
    ...server,
    baseUrl: `${server.url}/v1`,
    toolUrl: `${server.url}/rooms`,
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function stream(response: ServerResponse, delta: object): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`);
  response.end('data: [DONE]\n\n');
}
