import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readChunk } from './completion-chunk.ts';
import { ModelFailure } from './model-failure.ts';

function read(chunk: unknown) {
  return readChunk(JSON.stringify(chunk));
}

function outcomeOf(json: string): string {
  try {
    readChunk(json);
    return 'read';
  } catch (error) {
    return error instanceof ModelFailure ? error.kind : String(error);
  }
}

describe('the chunks of one endpoint each', () => {
  test('OpenAI: words, the end, and the usage in a chunk of its own', () => {
    expect(
      read({ choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }], usage: null }),
    ).toEqual({
      text: 'Hi',
      hasToken: true,
      toolCallParts: [],
      finishReason: undefined,
      usage: undefined,
    });
    expect(read({ choices: [{ delta: {}, finish_reason: 'stop' }] })).toMatchObject({
      hasToken: false,
      finishReason: 'stop',
    });
    expect(
      read({ choices: [], usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 } }),
    ).toMatchObject({
      usage: { promptTokens: 5, completionTokens: 2 },
    });
  });

  test.each([
    ['vLLM', { role: 'assistant', content: '', reasoning_content: 'hm' }],
    ['Ollama', { role: 'assistant', content: '', reasoning: 'hm' }],
    ['DeepSeek', { content: null, reasoning_content: 'hm' }],
  ])('%s: reasoning is a token, and no word', (_, delta) => {
    expect(read({ choices: [{ delta }] })).toMatchObject({ text: '', hasToken: true });
  });

  test.each([
    ['a stream', { delta: { content: null, refusal: 'I cannot' } }],
    ['a whole answer', { message: { content: null, refusal: 'I cannot' } }],
  ])('OpenAI: the words with which a model declines are words, in %s', (_, choice) => {
    expect(read({ choices: [choice] })).toMatchObject({ text: 'I cannot', hasToken: true });
  });

  test('llama.cpp: an opening chunk without content is no token', () => {
    const delta = { role: 'assistant', content: null };
    expect(read({ choices: [{ delta, finish_reason: null }] })).toMatchObject({ hasToken: false });
  });

  test('a whole tool call with an object as its arguments', () => {
    const tool_calls = [{ function: { name: 'a', arguments: { x: [1] } } }];
    expect(read({ choices: [{ delta: { tool_calls } }] }).toolCallParts).toEqual([
      { index: undefined, id: undefined, name: 'a', arguments: '{"x":[1]}' },
    ]);
  });
});

test('arguments of thousands of levels are null, which every tool refuses', () => {
  const args = `{"a":${'['.repeat(8000)}${']'.repeat(8000)}}`;
  const called = `{"function":{"name":"a","arguments":${args}}}`;
  const { toolCallParts } = readChunk(`{"choices":[{"delta":{"tool_calls":[${called}]}}]}`);
  expect(toolCallParts).toMatchObject([{ name: 'a', arguments: 'null' }]);
});

test.each([
  ['', 'faulty'],
  ['nonsense', 'faulty'],
  ['7', 'faulty'],
  ['null', 'faulty'],
  ['[]', 'faulty'],
  ['{}', 'read'],
  ['{"choices":null}', 'read'],
  ['{"choices":[null]}', 'read'],
  ['{"choices":[{"delta":7}]}', 'read'],
  ['{"error":null}', 'read'],
  ['{"error":"planted"}', 'unreachable'],
  ['{"error":{"message":"planted","code":500}}', 'unreachable'],
  ['{"error":{"code":429}}', 'busy'],
  ['{"error":{"code":"429"}}', 'busy'],
])('%s is %s', (json, outcome) => {
  expect(outcomeOf(json)).toBe(outcome);
});

test('no JSON of any shape does more than fail', () => {
  const delta = fc.record(
    {
      content: fc.jsonValue(),
      refusal: fc.jsonValue(),
      tool_calls: fc.jsonValue(),
      function_call: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  const chunk = fc.oneof(
    fc.jsonValue(),
    fc.record({ choices: fc.array(fc.oneof(fc.jsonValue(), fc.record({ delta }))) }),
    fc.record({ usage: fc.jsonValue(), error: fc.jsonValue() }),
  );
  fc.assert(
    fc.property(chunk, (given) => {
      expect(['read', 'faulty', 'busy', 'unreachable']).toContain(outcomeOf(JSON.stringify(given)));
    }),
  );
});
