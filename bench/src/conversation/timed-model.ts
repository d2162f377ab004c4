import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { pause } from '@session/kit';

export interface TimedRequest {
  readonly receivedAt: number;
  firstTokenAt: number;
  /** When the agent aborted the request; NaN when it was answered. */
  abortedAt: number;
}

const WORDS = ['Certainly, ', 'with ', 'pleasure.'];
const WORD_MS = 20;

/** Answers at once, so that all other time is the agent's: three words, or words without an end. */
export class TimedModel implements AsyncDisposable {
  readonly requests: TimedRequest[] = [];
  isEndless = false;
  readonly #server = createServer((request, response) => {
    void this.#answer(request, response);
  });

  static async open(): Promise<TimedModel> {
    const model = new TimedModel();
    await once(model.#server.listen(0, '127.0.0.1'), 'listening');
    return model;
  }

  get variables(): Record<string, string> {
    const address = this.#server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    return {
      LLM_API_KEY: 'local',
      LLM_BASE_URL: `http://127.0.0.1:${port}/v1`,
      LLM_MODEL: 'bench',
      GREETING: 'off',
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const timed = {
      receivedAt: performance.now(),
      firstTokenAt: Number.NaN,
      abortedAt: Number.NaN,
    };
    const gone = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) timed.abortedAt = performance.now();
      gone.abort();
    });
    await json(request);
    this.requests.push(timed);
    const { isEndless } = this;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (delta: object, reason: string | null = null) =>
      response.write(
        `data: ${JSON.stringify({ choices: [{ delta, finish_reason: reason }] })}\n\n`,
      );
    timed.firstTokenAt = performance.now();
    for (const content of WORDS) send({ content });
    if (isEndless) {
      while (await pause(WORD_MS, gone.signal)) send({ content: 'and ' });
    }
    send({}, 'stop');
    response.end('data: [DONE]\n\n');
  }
}
