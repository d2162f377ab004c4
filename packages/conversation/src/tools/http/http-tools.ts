import type { IncomingMessage } from 'node:http';
import type { Fields } from '@session/contract/room';
import { ModelFailure } from '../../model/model-failure.ts';
import type { AgentTool } from '../agent-tool.ts';
import {
  connectionFailure,
  MAY_BE_DONE,
  refusal,
  shownText,
  timedCall,
  type UntimedResult,
} from '../call-result.ts';
import { checkArguments } from '../check-arguments.ts';
import type { ToolContext } from '../tool-exchange.ts';
import type { HttpTool } from '../tool-settings.ts';
import { toolRequest } from './tool-request.ts';

const MAX_READ_BYTES = 262_144;
/** Error codes of connections that were never opened, so nothing was sent. */
const UNOPENED = new Set<unknown>(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);
const TEXT_TYPE = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml)\b|application\/x-ndjson\b)/i;

export function httpTool(tool: HttpTool, context: ToolContext): AgentTool {
  const { name, description, parameters, say, onInterrupt, record, timeoutMs } = tool;
  const mayHaveEffects = mayChange(tool);
  return {
    source: 'http',
    name,
    description,
    parameters,
    say,
    onInterrupt,
    record,
    mayHaveEffects,
    check: (args) => checkArguments(parameters, args),
    send: async (args, signal) =>
      await timedCall(
        { timeoutMs, mayHaveEffects },
        signal,
        async (either) => await send(tool, args, context, either),
        requestFailure,
      ),
  };
}

function mayChange({ request }: HttpTool): boolean {
  return request.method !== 'GET';
}

async function send(
  tool: HttpTool,
  args: Fields,
  { exchange, mask }: ToolContext,
  signal: AbortSignal,
): Promise<UntimedResult> {
  const sent = toolRequest(tool, args);
  if (!sent) return refusal('Not called: an argument would name another resource.');
  const response = await exchange.for(sent.url)?.send(sent.url, sent.request, signal);
  if (!response) return refusal('Not called: the address is neither http nor https.');
  const { statusCode: status = 0 } = response;
  const { body, isWhole } = await readAnswer(response);
  const { text, isCut } = shownText(body, isWhole, mask);
  const isDoubtful = status >= 500 && mayChange(tool);
  return {
    state: status < 400 ? 'done' : 'failed',
    text: isDoubtful ? `${MAY_BE_DONE} ${text}`.trim() : text,
    isCut,
    status,
    isFault: status >= 500 || status === 429,
  };
}

function requestFailure(error: unknown): UntimedResult {
  const failure = connectionFailure(error);
  const isUnopened = error instanceof ModelFailure && UNOPENED.has(error.cause);
  return isUnopened ? { ...failure, text: 'Not called: the server cannot be reached.' } : failure;
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
