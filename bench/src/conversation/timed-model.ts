import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { pause } from '@session/kit';
import { type LoopbackServer, serve } from '@session/testing/serve';
import type { BenchTool } from './bench-project.ts';

export interface TimedRequest {
  readonly receivedAt: number;
  firstTokenAt: number;
  /** When the model called its tool; NaN when it did not. */
  calledAt: number;
  /** When the agent aborted the request; NaN when it was answered. */
  abortedAt: number;
}

const WORDS = ['Certainly, ', 'with ', 'pleasure.'];
const WORD_MS = 20;
const TOOL = 'look_up';

/**
 * Answers at once, so that all other time is the agent's. An answer is three words, words without an end, or a call of
 * the tool whose server this is too.
 */
export class TimedModel implements AsyncDisposable {
  readonly requests: TimedRequest[] = [];
  isEndless = false;
  callsTool = false;
  #server: LoopbackServer | undefined;

  static async open(): Promise<TimedModel> {
    const model = new TimedModel();
    model.#server = await serve((request, response) => void model.#answer(request, response));
    return model;
  }

  get variables(): Record<string, string> {
    return {
      LLM_API_KEY: 'local',
      LLM_BASE_URL: `${this.#server?.url}/v1`,
      LLM_MODEL: 'bench',
      GREETING: 'off',
    };
  }

  get tools(): BenchTool[] {
    const parameters = { type: 'object', properties: {} } as const;
    const request = { method: 'GET', url: `${this.#server?.url}/tool` } as const;
    return [{ name: TOOL, description: 'Looks something up.', parameters, request }];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/tool') return void response.end('{"found":1}');
    const timed = {
      receivedAt: performance.now(),
      firstTokenAt: Number.NaN,
      calledAt: Number.NaN,
      abortedAt: Number.NaN,
    };
    const gone = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) timed.abortedAt = performance.now();
      gone.abort();
    });
    const asked = await text(request);
    this.requests.push(timed);
    const { isEndless } = this;
    const calls =
      this.callsTool && asked.lastIndexOf('"role":"tool"') < asked.lastIndexOf('"role":"user"');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (delta: object, reason: string | null = null) =>
      response.write(
        `data: ${JSON.stringify({ choices: [{ delta, finish_reason: reason }] })}\n\n`,
      );
    if (calls) {
      const call = { name: TOOL, arguments: '{}' };
      timed.calledAt = performance.now();
      send({ tool_calls: [{ index: 0, id: randomUUID(), type: 'function', function: call }] });
      send({}, 'tool_calls');
      return void response.end('data: [DONE]\n\n');
    }
    timed.firstTokenAt = performance.now();
    for (const content of WORDS) send({ content });
    if (isEndless) {
      while (await pause(WORD_MS, gone.signal)) send({ content: 'and ' });
    }
    send({}, 'stop');
    response.end('data: [DONE]\n\n');
  }
}
