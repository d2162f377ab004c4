import type { ServerResponse } from 'node:http';
import { begin, fails, type ReceivedRequest, type Reply, send } from './scripted-model.ts';

interface ModelAnswer {
  readonly words?: string;
  readonly calls?: readonly (readonly [name: string, args: object])[];
}

/** How one sort of server speaks: what it refuses, and how it streams. */
export interface Dialect {
  readonly name: string;
  /** Fields that it refuses, each with its status and body. */
  readonly refuses: Readonly<Record<string, Reply>>;
  /** How it refuses a call in the history without its signature. */
  readonly refusesUnsigned?: Reply;
  readonly answer: (response: ServerResponse, answer: ModelAnswer) => void;
}

const openai: Dialect = {
  name: 'OpenAI, a reasoning model',
  refuses: {
    temperature: fails(400, {
      error: { message: 'Unsupported value.', param: 'temperature', code: 'unsupported_value' },
    }),
  },
  answer: (response, { words = '', calls = [] }) => {
    begin(response);
    delta(response, { role: 'assistant', content: calls.length > 0 ? null : '', refusal: null });
    for (const content of words.split(/(?<= )/).filter(Boolean)) delta(response, { content });
    for (const [index, [name, args]] of calls.entries()) {
      const called = { name, arguments: '' };
      delta(response, {
        tool_calls: [{ index, id: `call_${name}`, type: 'function', function: called }],
      });
      for (const part of JSON.stringify(args).match(/.{1,5}/gs) ?? []) {
        delta(response, { tool_calls: [{ index, function: { arguments: part } }] });
      }
    }
    delta(response, {}, calls.length > 0 ? 'tool_calls' : 'stop');
    send(response, { choices: [], usage: { prompt_tokens: 300, completion_tokens: 9 } });
    response.end('data: [DONE]\n\n');
  },
};

const vllm: Dialect = {
  name: 'vLLM, with reasoning',
  refuses: {},
  answer: (response, { words = '', calls = [] }) => {
    begin(response);
    delta(response, { role: 'assistant', content: '' });
    for (const part of ['The user ', 'says …']) delta(response, { reasoning_content: part });
    if (words !== '') delta(response, { content: words });
    for (const [index, [name, args]] of calls.entries()) {
      const part = { index, id: `chatcmpl-tool-${index}`, type: 'function' };
      delta(response, { tool_calls: [{ ...part, function: { name } }] });
      delta(response, { tool_calls: [{ index, function: { arguments: JSON.stringify(args) } }] });
    }
    delta(response, { content: '' }, calls.length > 0 ? 'tool_calls' : 'stop');
    send(response, { choices: [], usage: { prompt_tokens: 300, completion_tokens: 9 } });
    response.end('data: [DONE]\n\n');
  },
};

const ollama: Dialect = {
  name: 'Ollama: whole calls, all with index 0, and the end is always stop',
  refuses: {},
  answer: (response, { words = '', calls = [] }) => {
    begin(response);
    delta(response, { role: 'assistant', content: '', reasoning: 'hm' });
    if (words !== '') delta(response, { role: 'assistant', content: words });
    for (const [number, [name, args]] of calls.entries()) {
      const called = { name, arguments: JSON.stringify(args) };
      const part = { index: 0, id: `call_${number}`, type: 'function', function: called };
      delta(response, { role: 'assistant', content: '', tool_calls: [part] });
    }
    delta(response, { role: 'assistant', content: '' }, 'stop');
    send(response, { choices: [], usage: { prompt_tokens: 300, completion_tokens: 9 } });
    response.end('data: [DONE]\n\n');
  },
};

const smallModel: Dialect = {
  name: 'a small model: calls as JSON in the text, thoughts in tags, no usage',
  refuses: {
    max_completion_tokens: fails(422, {
      detail: [{ loc: ['body', 'max_completion_tokens'], msg: 'Extra inputs are not permitted' }],
    }),
    stream_options: fails(400, 'unknown field "stream_options"'),
  },
  answer: (response, { words = '', calls = [] }) => {
    begin(response);
    const json = calls.map(([name, args]) => JSON.stringify({ name, parameters: args }));
    const text = `<think>I should …</think>\n${[words, ...json].filter(Boolean).join('\n')}`;
    for (const content of text.match(/.{1,3}/gs) ?? []) delta(response, { content });
    delta(response, {}, 'stop');
    response.end();
  },
};

export const gemini: Dialect = {
  name: 'Gemini: whole calls, each with a signature that it wants back',
  refuses: {},
  refusesUnsigned: fails(400, [
    {
      error: {
        code: 400,
        message:
          'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly.',
        status: 'INVALID_ARGUMENT',
      },
    },
  ]),
  answer: (response, { words = '', calls = [] }) => {
    begin(response);
    if (words !== '') delta(response, { role: 'assistant', content: words });
    for (const [index, [name, args]] of calls.entries()) {
      const id = `function-call-${index}`;
      const called = { name, arguments: JSON.stringify(args) };
      const extra_content = { google: { thought_signature: signatureOf(id) } };
      const part = { index, id, type: 'function', function: called, extra_content };
      delta(response, { role: 'assistant', tool_calls: [part] });
    }
    delta(response, { role: 'assistant' }, 'stop');
    send(response, { choices: [], usage: { prompt_tokens: 300, completion_tokens: 9 } });
    response.end('data: [DONE]\n\n');
  },
};

export const DIALECTS: readonly Dialect[] = [openai, vllm, ollama, smallModel, gemini];

/** Returns an endpoint that speaks `dialect`, and gives these answers one after the other. */
export function speaks(dialect: Dialect, answers: readonly ModelAnswer[]): Reply {
  let next = 0;
  return (response, request) => {
    const refused = Object.keys(dialect.refuses).find((field) =>
      Object.hasOwn(request.body, field),
    );
    if (refused !== undefined) return dialect.refuses[refused]?.(response, request);
    const { refusesUnsigned } = dialect;
    if (refusesUnsigned && hasUnsignedCall(request)) return refusesUnsigned(response, request);
    const answer = answers[next] ?? { words: 'That was all.' };
    next += 1;
    return dialect.answer(response, answer);
  };
}

function signatureOf(id: string): string {
  return `signature of ${id}`;
}

function hasUnsignedCall({ body }: ReceivedRequest): boolean {
  const messages: unknown[] = [body['messages']].flat();
  const called: unknown[] = messages.flatMap((message) => Object(message).tool_calls ?? []);
  return called.some((call) => {
    const { id, extra_content } = Object(call);
    return extra_content?.google?.thought_signature !== signatureOf(id);
  });
}

function delta(response: ServerResponse, fields: object, reason: string | null = null): void {
  send(response, { choices: [{ index: 0, delta: fields, finish_reason: reason }] });
}
