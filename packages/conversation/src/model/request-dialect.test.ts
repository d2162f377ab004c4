import { describe, expect, test } from 'vitest';
import { readAnswer, readFrom } from '../../testing/read-answer.ts';
import {
  fails,
  PLANTED_KEY,
  type Reply,
  says,
  startScriptedModel,
} from '../../testing/scripted-model.ts';
import type { ToolDefinition } from '../plan/plan-tools.ts';
import type { ChatMessage } from './chat-message.ts';
import { ModelClient } from './model-client.ts';

const TOOL: ToolDefinition = {
  name: 'complete_step',
  description: 'Marks the step as done.',
  parameters: { type: 'object', properties: {}, required: [] },
};

/** Refuses every request that has `field`, with this status and body, and answers all others. */
function refuses(field: string, status: number, body: unknown): Reply {
  return (response, request) => {
    const reply = Object.hasOwn(request.body, field) ? fails(status, body) : says('Yes');
    return reply(response, request);
  };
}

function openaiError(param: string | null, message: string) {
  return {
    error: { message, type: 'invalid_request_error', param, code: 'unsupported_parameter' },
  };
}

function wireCall(id: string, args: string) {
  return { id, type: 'function', function: { name: 'complete_step', arguments: args } };
}

describe('a refused field is left out at once, and in all later requests', () => {
  test.each<[string, string, number, unknown]>([
    [
      'OpenAI names the field',
      'temperature',
      400,
      openaiError('temperature', 'Unsupported value.'),
    ],
    [
      'the message names it',
      'stream_options',
      400,
      openaiError(null, 'Unknown field: stream_options'),
    ],
    [
      'vLLM and FastAPI',
      'max_completion_tokens',
      422,
      {
        detail: [
          {
            type: 'extra_forbidden',
            loc: ['body', 'max_completion_tokens'],
            msg: 'Extra inputs are not permitted',
          },
        ],
      },
    ],
    [
      'an older OpenAI',
      'max_completion_tokens',
      400,
      openaiError(null, 'Unrecognized request argument supplied: max_completion_tokens'),
    ],
    [
      'vLLM without a parser of tools',
      'tools',
      400,
      {
        object: 'error',
        message:
          '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
      },
    ],
    [
      'Ollama',
      'tools',
      400,
      {
        error: {
          message: 'registry.ollama.ai/library/gemma:2b does not support tools',
          type: 'api_error',
        },
      },
    ],
    [
      'a router',
      'tools',
      404,
      { error: { message: 'No endpoints found that support tool use.', code: 404 } },
    ],
    [
      'llama.cpp',
      'tools',
      500,
      { error: { message: 'tools param requires --jinja flag', type: 'not_supported_error' } },
    ],
    ['plain text', 'parallel_tool_calls', 400, 'parallel_tool_calls: no such field'],
    [
      'Mistral',
      'response_format',
      422,
      { message: { detail: [{ loc: ['body', 'response_format'], msg: 'x' }] } },
    ],
  ])('%s', async (_, field, status, body) => {
    await using model = await startScriptedModel(refuses(field, status, body));
    using client = new ModelClient({
      ...model.settings,
      temperature: 0.5,
      extraBody: { parallel_tool_calls: false },
    });
    const request = { tools: [TOOL], wantsJson: true };
    expect(await readFrom(client, request)).toMatchObject({ text: 'Yes', failure: undefined });
    expect(model.requests).toHaveLength(2);
    await readFrom(client, request);
    expect(model.requests).toHaveLength(3);
    expect(model.requests.map((sent) => Object.hasOwn(sent.body, field))).toEqual([
      true,
      false,
      false,
    ]);
    const names = [
      'tools',
      'temperature',
      'stream_options',
      'response_format',
      'parallel_tool_calls',
    ];
    const kept = names.filter((name) => name !== field);
    expect(Object.keys(model.requests[2]?.body ?? {})).toEqual(expect.arrayContaining(kept));
  });

  test('the limit of the output is sent in its older form, then not at all', async () => {
    await using model = await startScriptedModel(
      fails(400, openaiError('max_completion_tokens', 'Use max_tokens.')),
      fails(400, openaiError('max_tokens', 'Unknown.')),
      says('Yes'),
    );
    expect((await readAnswer(model.settings)).text).toBe('Yes');
    const limits = model.requests.map(({ body }) => [
      body['max_completion_tokens'],
      body['max_tokens'],
    ]);
    expect(limits).toEqual([
      [800, undefined],
      [undefined, 800],
      [undefined, undefined],
    ]);
  });

  test('an endpoint that refuses everything is asked once for each field, and then has declined', async () => {
    const names =
      'max_completion_tokens max_tokens stream_options temperature tools response_format';
    await using model = await startScriptedModel(fails(400, openaiError(null, names)));
    const { failure } = await readAnswer(
      { ...model.settings, temperature: 1 },
      { tools: [TOOL], wantsJson: true },
    );
    expect(failure?.kind).toBe('declined');
    expect(model.requests).toHaveLength(7);
  });

  test('a client knows what its endpoint cannot', async () => {
    await using model = await startScriptedModel(
      fails(400, openaiError('tools', 'x')),
      fails(400, openaiError('response_format', 'x')),
      says('Yes'),
    );
    using client = new ModelClient(model.settings);
    expect([client.hasTools, client.hasJson]).toEqual([true, true]);
    await readFrom(client, { tools: [TOOL], wantsJson: true });
    expect([client.hasTools, client.hasJson]).toEqual([false, false]);
  });
});

describe('a refusal that names no field of the request', () => {
  test.each<[string, number, unknown]>([
    ['an unknown fault', 400, openaiError('messages', 'Invalid role.')],
    [
      'a user’s words that are repeated',
      422,
      { detail: [{ loc: ['body', 'messages'], msg: 'x', input: 'tools and temperature' }] },
    ],
    ['a wrong key', 401, openaiError(null, 'temperature')],
  ])('%s is a failure', async (_, status, body) => {
    await using model = await startScriptedModel(fails(status, body));
    const { failure } = await readAnswer(model.settings, { tools: [TOOL] });
    expect(failure).toMatchObject({
      kind: status === 401 ? 'refused' : 'declined',
      message: `the endpoint answered HTTP ${status}`,
    });
    expect(model.requests).toHaveLength(1);
  });

  test.each<[string, number, unknown]>([
    ['OpenAI', 400, { error: { code: 'context_length_exceeded', message: 'x' } }],
    [
      'vLLM',
      400,
      { message: "This model's maximum context length is 4096 tokens. Reduce max_tokens." },
    ],
    [
      'llama.cpp',
      400,
      {
        error: {
          type: 'exceed_context_size_error',
          message: 'the request exceeds the available context size',
        },
      },
    ],
    ['a proxy', 413, 'Too large'],
  ])('a request that is too long is its own kind: %s', async (_, status, body) => {
    await using model = await startScriptedModel(fails(status, body));
    expect((await readAnswer(model.settings)).failure?.kind).toBe('too_long');
    expect(model.requests).toHaveLength(1);
  });
});

describe('messages on the wire', () => {
  const messages: ChatMessage[] = [
    { role: 'system', content: 's' },
    { role: 'user', content: 'u' },
    {
      role: 'assistant',
      content: '',
      toolCalls: [
        { id: 'c1', name: 'complete_step', arguments: '{"step":"a"}' },
        { id: 'c2', name: 'complete_step', arguments: '{"step' },
        { id: 'c3', name: 'complete_step', arguments: '["a"]' },
      ],
    },
    { role: 'tool', toolCallId: 'c1', content: 'a is done.' },
    { role: 'tool', toolCallId: 'c2', content: 'no' },
    { role: 'tool', toolCallId: 'c3', content: 'no' },
  ];

  test('tool calls keep their results, and arguments that are no JSON object do not break the next request', async () => {
    await using model = await startScriptedModel(says('Yes'));
    await readAnswer(model.settings, { messages, tools: [TOOL] });
    expect(model.requests[0]?.body).toMatchObject({
      tools: [{ type: 'function', function: TOOL }],
      messages: [
        { role: 'system', content: 's' },
        { role: 'user', content: 'u' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [wireCall('c1', '{"step":"a"}'), wireCall('c2', '{}'), wireCall('c3', '{}')],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'a is done.' },
        { role: 'tool', tool_call_id: 'c2', content: 'no' },
        { role: 'tool', tool_call_id: 'c3', content: 'no' },
      ],
    });
  });

  test('without tools, results are data of the user’s side: some endpoints refuse tool messages then', async () => {
    await using model = await startScriptedModel(says('Yes'));
    await readAnswer(model.settings, { messages });
    expect(model.requests[0]?.body['messages']).toEqual([
      { role: 'system', content: 's' },
      {
        role: 'user',
        content:
          'u\n\n[Result of a tool: a is done.]\n\n[Result of a tool: no]\n\n[Result of a tool: no]',
      },
    ]);
  });
});

test('a key that an endpoint repeats appears in no failure', async () => {
  for (const status of [400, 401, 404, 429, 500]) {
    await using model = await startScriptedModel(fails(status));
    const { failure } = await readAnswer(model.settings);
    expect(JSON.stringify([failure?.message, failure?.stack, failure])).not.toContain(PLANTED_KEY);
  }
});
