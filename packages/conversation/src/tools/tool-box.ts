import type { IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import { cutToBytes, type Fields } from '@session/contract/room';
import { createMask, MAX_PIECE_LENGTH, type Mask, maskSpans } from '@session/kit/mask';
import { mayConnect } from '@session/kit/open-networks';
import { HttpExchange } from '../model/http-exchange.ts';
import { ModelFailure } from '../model/model-failure.ts';
import type { ToolDefinition } from '../plan/plan-tools.ts';
import { toolRequest } from './tool-request.ts';
import type { HttpTool, ToolSettings } from './tool-settings.ts';

/** How a call ended. `text` is for the model: what the server answered, without secrets, or a sentence of ours. */
export interface CallResult {
  readonly state: 'done' | 'failed' | 'cancelled' | 'timeout';
  readonly text: string;
  readonly isCut: boolean;
  readonly status?: number;
  /** Whether the server or the way to it is at fault, not the arguments. */
  readonly isFault: boolean;
  readonly durationMs: number;
}

export interface ToolBoxOptions {
  readonly lookup?: LookupFunction;
}

const MAX_READ_BYTES = 262_144;
const MAX_TEXT_BYTES = 8192;
/** Masks shorten a text, so more of it is looked at; and a secret may reach beyond that. */
const MAX_MASKED_LENGTH = 2 * MAX_TEXT_BYTES;
const REACH = 2 * MAX_PIECE_LENGTH;
const TEXT_TYPE = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml)\b|application\/x-ndjson\b)/i;

/**
 * The HTTP tools of an agent. Only public addresses are called, by https, and those of the networks that the operator opened. No
 * redirect leaves the origin.
 */
export class ToolBox implements Disposable {
  readonly #tools: ReadonlyMap<string, HttpTool>;
  readonly #mask: Mask;
  readonly #exchanges: Readonly<Record<string, HttpExchange>>;
  readonly definitions: readonly ToolDefinition[];

  private constructor(
    { tools, networks, proxies }: ToolSettings,
    mask: Mask,
    options: ToolBoxOptions,
  ) {
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.#mask = mask;
    this.definitions = tools.map(({ name, description, parameters }) => ({
      name,
      description,
      parameters,
    }));
    const exchange = (protocol: 'http:' | 'https:') =>
      new HttpExchange({
        variable: 'the tool',
        proxies,
        isRefused: (host) => !mayConnect(host, networks, protocol),
        refusesUnknown: protocol === 'http:',
        ...options,
      });
    this.#exchanges = { 'https:': exchange('https:'), 'http:': exchange('http:') };
  }

  static async open(settings: ToolSettings, options: ToolBoxOptions = {}): Promise<ToolBox> {
    return new ToolBox(settings, await createMask(settings.secrets), options);
  }

  toolOf(name: string): HttpTool | undefined {
    return this.#tools.get(name);
  }

  /** Carries a call out. Ends it when `signal` aborts. Never throws. */
  async send(tool: HttpTool, args: Fields, signal?: AbortSignal): Promise<CallResult> {
    const began = performance.now();
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), tool.timeoutMs);
    const either = signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal;
    try {
      const result = await this.#send(tool, args, either);
      return { ...result, durationMs: performance.now() - began };
    } catch (error) {
      const durationMs = performance.now() - began;
      if (signal?.aborted) return { ...cancelled(tool), durationMs };
      if (timeout.signal.aborted) return { ...timedOut(tool), durationMs };
      return { ...failed(error), durationMs };
    } finally {
      clearTimeout(timer);
    }
  }

  [Symbol.dispose](): void {
    for (const exchange of Object.values(this.#exchanges)) exchange[Symbol.dispose]();
  }

  async #send(tool: HttpTool, args: Fields, signal: AbortSignal): Promise<Ended> {
    const sent = toolRequest(tool, args);
    if (!sent) return refusal('Not called: an argument would name another resource.');
    const exchange = this.#exchanges[sent.url.protocol];
    if (!exchange) return refusal('Not called: the address is neither http nor https.');
    const response = await exchange.send(sent.url, sent.request, signal);
    const { statusCode: status = 0 } = response;
    const { body, isWhole } = await readAnswer(response);
    const seen = body.slice(0, MAX_MASKED_LENGTH + REACH);
    const masked = maskSpans(seen, this.#mask.spansIn(seen), 0, MAX_MASKED_LENGTH);
    const text = cutToBytes(masked, MAX_TEXT_BYTES);
    const isCut = !isWhole || text.length < masked.length || body.length > MAX_MASKED_LENGTH;
    const isDone = status < 400;
    const isFault = status >= 500 || status === 429;
    return { state: isDone ? 'done' : 'failed', text, isCut, status, isFault };
  }
}

type Ended = Omit<CallResult, 'durationMs'>;

const MAY_BE_DONE = 'The call may have been carried out.';

function cancelled({ request }: HttpTool): Ended {
  const doubt = request.method === 'GET' ? '' : ` ${MAY_BE_DONE}`;
  const text = `Cancelled: the user spoke before it ended.${doubt}`;
  return { state: 'cancelled', text, isCut: false, isFault: false };
}

function timedOut({ timeoutMs }: HttpTool): Ended {
  const text = `No answer within ${timeoutMs / 1000} seconds. ${MAY_BE_DONE}`;
  return { state: 'timeout', text, isCut: false, isFault: true };
}

function refusal(text: string): Ended {
  return { state: 'failed', text, isCut: false, isFault: false };
}

/** Our own words: those of a connection may quote an address or a header. */
function failed(error: unknown): Ended {
  const fault = { state: 'failed', isCut: false, isFault: true } as const;
  const isRefused = error instanceof ModelFailure && error.kind === 'refused';
  if (isRefused && typeof error.cause === 'number') {
    const text = `The server redirects, which is not followed. ${MAY_BE_DONE}`;
    return { ...fault, text, status: error.cause };
  }
  const text = isRefused
    ? 'Not called: its address is not open to tools.'
    : `The connection failed. ${MAY_BE_DONE}`;
  return { ...fault, text };
}

async function readAnswer(
  response: IncomingMessage,
): Promise<{ readonly body: string; readonly isWhole: boolean }> {
  const { 'content-type': type = 'text/plain', 'content-encoding': encoding = 'identity' } =
    response.headers;
  if (!TEXT_TYPE.test(type) || encoding !== 'identity') {
    response.destroy();
    return { body: 'The answer is not a text.', isWhole: true };
  }
  const chunks: Uint8Array[] = [];
  let left = MAX_READ_BYTES;
  for await (const chunk of response) {
    const bytes = Buffer.from(chunk).subarray(0, left);
    chunks.push(bytes);
    left -= bytes.length;
    if (left === 0) break;
  }
  const body = new TextDecoder().decode(Buffer.concat(chunks), { stream: true });
  return { body, isWhole: left > 0 };
}
