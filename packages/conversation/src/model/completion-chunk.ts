import * as z from 'zod';
import { isTooDeep, parseJson } from '../parse-json.ts';
import type { TokenUsage } from './chat-message.ts';
import { ModelFailure } from './model-failure.ts';

export interface ToolCallPart {
  readonly index?: number | undefined;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly arguments?: string | undefined;
  readonly signature?: string | undefined;
}

export interface Delta {
  readonly text: string;
  /** True for a token of any kind, reasoning included; false for an opening chunk without content. */
  readonly hasToken: boolean;
  readonly toolCallParts: readonly ToolCallPart[];
  readonly finishReason: string | undefined;
  readonly usage: TokenUsage | undefined;
}

/** A field of an unexpected form counts as missing: an unknown extension must not end a conversation. */
const text = z.string().optional().catch(undefined);
const count = z.number().int().nonnegative().optional().catch(undefined);

/**
 * Arguments as JSON text, even if a model sends an object. Tools refuse `null`, which replaces arguments that are too deep.
 */
export const Arguments = z.union([
  z.string(),
  z
    .record(z.string(), z.unknown())
    .transform((fields) => (isTooDeep(fields) ? 'null' : JSON.stringify(fields))),
]);

/** Signatures have a few KiB. A longer one is dropped. */
const MAX_SIGNATURE_LENGTH = 65_536;

const Signed = z
  .object({ google: z.object({ thought_signature: z.string().max(MAX_SIGNATURE_LENGTH) }) })
  .optional()
  .catch(undefined);

const Called = z
  .object({ name: text, arguments: Arguments.optional().catch(undefined) })
  .optional()
  .catch(undefined);

const ContentPart = z.object({ text: z.string().catch('') });
const Content = z
  .union([z.string(), z.array(ContentPart).transform((parts) => parts.map((p) => p.text).join(''))])
  .catch('');

const Message = z
  .object({
    content: Content,
    refusal: text,
    reasoning_content: text,
    reasoning: text,
    tool_calls: z
      .array(z.object({ index: count, id: text, function: Called, extra_content: Signed }))
      .catch([]),
    function_call: Called,
  })
  .optional()
  .catch(undefined);

const Chunk = z.object({
  choices: z.array(z.object({ delta: Message, message: Message, finish_reason: text })).catch([]),
  usage: z
    .object({ prompt_tokens: z.number(), completion_tokens: z.number() })
    .optional()
    .catch(undefined),
  error: z.unknown().optional(),
});

const StreamError = z.object({ code: z.union([z.number(), z.string()]) });

/**
 * Reads one chunk of a stream, or the whole completion of an endpoint that does not stream. Throws a ModelFailure for any other
 * text, and for a chunk that reports an error.
 */
export function readChunk(json: string): Delta {
  const result = Chunk.safeParse(parseJson(json));
  if (!result.success) throw new ModelFailure('faulty', 'the answer is not a valid stream');
  const { choices, usage, error } = result.data;
  if (error !== undefined && error !== null) throw streamFailure(error);
  const [choice] = choices;
  const message = choice?.delta ?? choice?.message;
  const parts = message ? toolCallParts(message) : [];
  // A model's refusal comes in a field of its own.
  const content = (message?.content ?? '') + (message?.refusal ?? '');
  const hasReasoning = Boolean(message?.reasoning_content || message?.reasoning);
  return {
    text: content,
    hasToken: content !== '' || hasReasoning || parts.length > 0,
    toolCallParts: parts,
    finishReason: choice?.finish_reason,
    usage: usage && {
      promptTokens: usage.prompt_tokens,
      completionTokens: usage.completion_tokens,
    },
  };
}

function toolCallParts({
  tool_calls,
  function_call,
}: NonNullable<z.output<typeof Message>>): ToolCallPart[] {
  const parts = tool_calls.map(({ index, id, function: called, extra_content: signed }) => ({
    index,
    id,
    ...called,
    signature: signed?.google.thought_signature,
  }));
  return function_call ? [...parts, { index: 0, ...function_call }] : parts;
}

function streamFailure(error: unknown): ModelFailure {
  const { data } = StreamError.safeParse(error);
  return String(data?.code) === '429'
    ? new ModelFailure('busy', 'the endpoint is busy (in the stream)')
    : new ModelFailure('unreachable', 'the endpoint failed in the stream');
}
