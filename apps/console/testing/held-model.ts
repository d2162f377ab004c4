import type { ServerResponse } from 'node:http';
import { serve } from '@session/testing/serve';

interface HeldModel extends AsyncDisposable {
  readonly baseUrl: string;
  readonly release: () => void;
}

/** Starts a model that answers each request with `first`, and with `rest` once it is released. */
export async function startHeldModel(first: string, rest: string): Promise<HeldModel> {
  const released = Promise.withResolvers<void>();
  const answer = async (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    const say = (content: string) => {
      const chunk = { choices: [{ index: 0, delta: { content } }] };
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    };
    say(first);
    // The agent gives up a model that falls silent.
    const going = setInterval(() => say('.'), 500);
    await released.promise;
    clearInterval(going);
    say(rest);
    response.end('data: [DONE]\n\n');
  };
  const server = await serve((request, response) => {
    request.resume();
    void answer(response);
  });
  return {
    ...server,
    baseUrl: `${server.url}/v1`,
    release: () => released.resolve(),
  };
}
