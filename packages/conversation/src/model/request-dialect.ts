import { isFields } from '@session/contract/room';
import * as z from 'zod';
import { parseJson } from '../parse-json.ts';
import { isPlanTool, type ToolDefinition } from '../plan/plan-tools.ts';
import type { ModelSettings } from '../settings/settings.ts';
import { isFrom, noteOrigin } from './call-origin.ts';
import type { ChatMessage, ToolCall } from './chat-message.ts';

export interface ModelRequest {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly ToolDefinition[];
  readonly wantsJson?: boolean;
  /** Whether an answer with neither words nor a tool call is valid, for example after tool calls that came with words. */
  readonly mayBeEmpty?: boolean;
}

type Body = Readonly<Record<string, unknown>>;

const REFUSABLE = [
  ['max_completion_tokens', /\bmax_completion_tokens\b/],
  ['max_tokens', /\bmax_tokens\b/],
  ['stream_options', /\b(?:stream_options|include_usage)\b/],
  ['parallel_tool_calls', /\bparallel_tool_calls\b/],
  ['response_format', /\bresponse_format\b|\bjson[_ ](?:object|mode)\b/i],
  ['temperature', /\btemperature\b/],
  ['tools', /\btools?\b|\btool[_ -](?:choice|calls?|use)\b|\bfunction[_ -]call/i],
] as const;

type RefusableField = (typeof REFUSABLE)[number][0];

const REFUSING_STATUSES = new Set([400, 422, 501]);

/** How errors identify a tool: OpenAI and Anthropic by its index, Google by its function's index, OpenAI also by its name. */
const TOOL_INDEX = /\btools[.[](?:\d+\]\.function_declarations\[)?(\d+)/;
const TOOL_NAME = /\bschema for function '([^']+)'/;

/** The model wrote a call that its endpoint cannot parse. A retry may succeed. */
const FAILED_CALL = /\btool_use_failed\b|\btool call validation failed\b/i;

/** Gemini's error about a call that another model made. */
const MISSING_SIGNATURE = /\bthought_signature\b/;

/** `repeat`: repeat the request, which now differs. `chance`: repeat it unchanged, because it may succeed. */
type Lesson = 'repeat' | 'chance' | 'none';

const SentTools = z.array(z.object({ function: z.object({ name: z.string() }) }));

/**
 * The fields that one endpoint accepts. "OpenAI-compatible" servers refuse different fields. A refused field is left out from
 * then on, or sent in its older form.
 */
export class RequestDialect {
  readonly #settings: ModelSettings;
  readonly #log: (line: string) => void;
  readonly #refused = new Set<RefusableField>();
  readonly #refusedTools = new Set<string>();
  #wantsSignatures = false;
  /** `doubted`: refused after they were accepted. A second refusal in a row leaves them out. */
  #tools: 'untried' | 'accepted' | 'doubted' = 'untried';

  constructor(settings: ModelSettings, log: (line: string) => void = () => {}) {
    this.#settings = settings;
    this.#log = log;
  }

  get hasTools(): boolean {
    return !this.#refused.has('tools');
  }

  get hasAllTools(): boolean {
    return this.#refusedTools.size === 0;
  }

  get hasJson(): boolean {
    return !this.#refused.has('response_format');
  }

  bodyOf(request: ModelRequest, model: string): Body {
    const { extraBody, temperature } = this.#settings;
    const offered = this.hasTools ? (request.tools ?? []) : [];
    const tools = offered.filter(({ name }) => !this.#refusedTools.has(name));
    const optional = {
      stream_options: { include_usage: true },
      ...(temperature !== undefined && { temperature }),
      ...this.#outputLimit(),
      ...extraBody,
      ...(tools.length > 0 && {
        tools: tools.map((tool) => ({ type: 'function', function: tool })),
      }),
      ...(request.wantsJson && { response_format: { type: 'json_object' } }),
    };
    const allowed = Object.entries(optional).filter(([name]) => !this.#isRefused(name));
    const messages = tools.length > 0 ? this.#readable(request) : withoutTools(request.messages);
    return {
      ...Object.fromEntries(allowed),
      model,
      messages: merged(messages).map((message) => wireMessage(message, this)),
      stream: true,
    };
  }

  accept(sent: Body): void {
    if (Object.hasOwn(sent, 'tools')) this.#tools = 'accepted';
    else if (!this.hasTools) this.#tools = 'untried';
  }

  /** Marks the calls as this endpoint's, because only it may get their signatures back. */
  note(calls: readonly ToolCall[]): void {
    for (const call of calls) noteOrigin(call, this);
  }

  /**
   * Remembers the field or the tool that an error refuses. Each one can be refused only once, so retries end. A plan needs
   * all its tools, so if one of them is refused, the field `tools` counts as refused.
   */
  learn(status: number, errorBody: string, sent: Body): Lesson {
    const words = errorWords(errorBody);
    if (REFUSING_STATUSES.has(status) && MISSING_SIGNATURE.test(words)) return this.#learnToSign();
    const tool = REFUSING_STATUSES.has(status) ? refusedTool(words, sent) : undefined;
    if (tool !== undefined && !isPlanTool(tool)) {
      this.#refusedTools.add(tool);
      this.#log(`leaving out tool ${JSON.stringify(tool)}: model's endpoint refused it`);
      return 'repeat';
    }
    if (Object.hasOwn(sent, 'tools') && FAILED_CALL.test(words)) return 'chance';
    const field = tool === undefined ? refusedField(status, words, sent) : 'tools';
    if (field === 'tools' && this.#tools === 'accepted') {
      this.#tools = 'doubted';
      return 'chance';
    }
    if (field) this.#refused.add(field);
    else if (REFUSING_STATUSES.has(status)) this.#acquitTools();
    return field ? 'repeat' : 'none';
  }

  #learnToSign(): Lesson {
    if (this.#wantsSignatures) return 'none';
    this.#wantsSignatures = true;
    return 'repeat';
  }

  /** Turns into text the calls that the endpoint would refuse. Of several parallel calls, only one has a signature. */
  #readable({ messages }: ModelRequest): readonly ChatMessage[] {
    if (!this.#wantsSignatures) return messages;
    let isText = false;
    return messages.flatMap((message) => {
      if (message.role === 'assistant') {
        const { toolCalls = [] } = message;
        isText = !toolCalls.some((call) => call.signature && isFrom(call, this));
      }
      return isText ? withoutTools([message]) : [message];
    });
  }

  #acquitTools(): void {
    if (this.#tools !== 'doubted') return;
    this.#refused.delete('tools');
    this.#tools = 'accepted';
  }

  #outputLimit(): Body {
    const { extraBody, maxOutputTokens } = this.#settings;
    if (Object.hasOwn(extraBody, 'max_tokens')) return {};
    return this.#refused.has('max_completion_tokens')
      ? { max_tokens: maxOutputTokens }
      : { max_completion_tokens: maxOutputTokens };
  }

  #isRefused(name: string): boolean {
    return REFUSABLE.some(([field]) => field === name && this.#refused.has(field));
  }
}

function refusedTool(words: string, { tools }: Body): string | undefined {
  const { data: sent = [] } = SentTools.safeParse(tools);
  const names = sent.map((tool) => tool.function.name);
  const [, index] = TOOL_INDEX.exec(words) ?? [];
  const [, name = ''] = TOOL_NAME.exec(words) ?? [];
  return index === undefined ? names.find((one) => one === name) : names[Number(index)];
}

function refusedField(status: number, words: string, sent: Body): RefusableField | undefined {
  const named = REFUSABLE.find(([field, pattern]) => {
    const isRefusal =
      REFUSING_STATUSES.has(status) || (field === 'tools' && refusesTools(status, words));
    return isRefusal && Object.hasOwn(sent, field) && pattern.test(words);
  });
  return named?.[0];
}

/**
 * Returns whether an answer with another status refuses the tools: routers answer 404 if none of their models supports tools,
 * and llama.cpp answers 500 if it was started without `--jinja`.
 */
function refusesTools(status: number, words: string): boolean {
  return status === 404 || (status === 500 && /\btools param\b/.test(words));
}

export function isTooLong(status: number, errorBody: string): boolean {
  if (status === 413) return true;
  const pattern =
    /context[_ ](?:length|window|size)|maximum context|prompt is too long|exceeds? the (?:available )?context/i;
  return REFUSING_STATUSES.has(status) && pattern.test(errorWords(errorBody));
}

/** The fields in which endpoints report an error. Other fields may repeat the request, and with it a user's words. */
const ERROR_FIELDS = new Set(['error', 'detail', 'message', 'msg', 'loc', 'param', 'code', 'type']);

function errorWords(errorBody: string): string {
  return wordsOf(parseJson(errorBody) ?? errorBody).join(' ');
}

function wordsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(wordsOf);
  const { data: fields } = z.record(z.string(), z.unknown()).safeParse(value);
  return Object.entries(fields ?? {})
    .filter(([name]) => ERROR_FIELDS.has(name))
    .flatMap(([, inner]) => wordsOf(inner));
}

/**
 * Turns tool messages into text and drops tool calls, because some endpoints refuse both in a request without tools.
 */
function withoutTools(messages: readonly ChatMessage[]): ChatMessage[] {
  return messages.flatMap((message): ChatMessage[] => {
    if (message.role === 'tool') {
      return [{ role: 'user', content: `[Result of a tool: ${message.content}]` }];
    }
    if (message.role !== 'assistant') return [message];
    const { role, content } = message;
    return content === '' ? [] : [{ role, content }];
  });
}

/** Joins consecutive user messages: the chat templates of some models require strictly alternating turns. */
function merged(messages: readonly ChatMessage[]): ChatMessage[] {
  const result: ChatMessage[] = [];
  for (const message of messages) {
    const last = result.at(-1);
    if (message.role === 'user' && last?.role === 'user') {
      result.splice(-1, 1, { role: 'user', content: `${last.content}\n\n${message.content}` });
    } else result.push(message);
  }
  return result;
}

function wireMessage(message: ChatMessage, endpoint: object): Body {
  if (message.role === 'tool') {
    return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
  }
  const { role, content } = message;
  if (message.role !== 'assistant' || !message.toolCalls?.length) return { role, content };
  const tool_calls = message.toolCalls.map((call) => wireCall(call, isFrom(call, endpoint)));
  return { role, content: content === '' ? null : content, tool_calls };
}

function wireCall({ id, name, arguments: json, signature }: ToolCall, isOwn: boolean): Body {
  return {
    id,
    type: 'function',
    // Endpoints parse the arguments of earlier calls again, and fail unless they are a JSON object.
    function: { name, arguments: isFields(parseJson(json)) ? json : '{}' },
    ...(signature && isOwn && { extra_content: { google: { thought_signature: signature } } }),
  };
}
