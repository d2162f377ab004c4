import { describe, expect, test } from 'vitest';
import { readAnswer } from '../../testing/read-answer.ts';
import {
  begin,
  calls,
  fails,
  finish,
  type Reply,
  says,
  send,
  sendWords,
  startScriptedModel,
  streams,
} from '../../testing/scripted-model.ts';
import type { ToolDefinition } from '../plan/plan-tools.ts';

const TOOL: ToolDefinition = {
  name: 'complete_step',
  description: 'Marks the step as done.',
  parameters: { type: 'object', properties: {}, required: [] },
};

describe('the size of an answer is bounded', () => {
  test.each([1, 1000])('%i chunks too many are not read', async (chunks) => {
    const excess = Array.from({ length: chunks }, () => '中'.repeat(3334));
    await using model = await startScriptedModel(says('中'.repeat(42), 'x', ...excess));
    const answer = await readAnswer({ ...model.settings, maxOutputTokens: 16 });
    const text = `${'中'.repeat(42)}x`;
    expect(answer).toMatchObject({ text, isCut: true, failure: undefined });
  });

  test('an answer without an end is cut, and its request aborted', async () => {
    await using model = await startScriptedModel((response, { gone }) => {
      begin(response);
      const timer = setInterval(() => sendWords(response, 'x'.repeat(100)), 1);
      gone.addEventListener('abort', () => clearInterval(timer));
    });
    const answer = await readAnswer(model.settings);
    expect(answer).toMatchObject({ text: 'x'.repeat(6400), isCut: true });
    await expect.poll(() => model.requests[0]?.gone.aborted).toBe(true);
  });

  test.each([
    ['one line', `data: ${'x'.repeat(3_000_000)}`],
    [
      'reasoning',
      `data: {"choices":[{"delta":{"reasoning_content":"${'x'.repeat(500_000)}"}}]}\n\n`.repeat(6),
    ],
  ])('%s of 3 MB without a word is faulty', async (_, data) => {
    await using model = await startScriptedModel((response) => {
      begin(response);
      response.end(data);
    });
    expect((await readAnswer(model.settings)).failure?.kind).toBe('faulty');
    expect(model.requests).toHaveLength(2);
  });

  test('the endpoint’s own limit is reported, and is no failure once words came', async () => {
    await using model = await startScriptedModel((response) => {
      begin(response);
      sendWords(response, 'Once upon');
      finish(response, 'length');
    });
    expect(await readAnswer(model.settings)).toMatchObject({ isCut: true, failure: undefined });
  });
});

describe('dialects of streams', () => {
  test('a stream that is cut inside of characters keeps them whole', async () => {
    await using model = await startScriptedModel(async (response) => {
      begin(response);
      const chunk = { choices: [{ delta: { content: 'Grüße 👋 中' } }] };
      const bytes = Buffer.from(`data: ${JSON.stringify(chunk)}\r\n\r\n`);
      // Each part ends inside a character, and is read before the next one is sent.
      const cuts = [bytes.indexOf('ü') + 1, bytes.indexOf('👋') + 2, bytes.indexOf('中') + 1];
      for (const [index, cut] of [...cuts, bytes.length].entries()) {
        response.write(bytes.subarray(cuts[index - 1] ?? 0, cut));
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
      finish(response);
    });
    expect((await readAnswer(model.settings)).text).toBe('Grüße 👋 中');
  });

  test('an endpoint that does not stream answers whole', async () => {
    const message = { role: 'assistant', content: 'Hello', tool_calls: null };
    await using model = await startScriptedModel(
      fails(200, { choices: [{ message }], usage: { prompt_tokens: 1, completion_tokens: 2 } }),
    );
    expect(await readAnswer(model.settings)).toMatchObject({
      text: 'Hello',
      usage: { promptTokens: 1, completionTokens: 2 },
    });
  });

  test('an endpoint that does not stream reports that its own limit was reached', async () => {
    const choice = { message: { content: 'Once upon' }, finish_reason: 'length' };
    await using model = await startScriptedModel(fails(200, { choices: [choice] }));
    expect(await readAnswer(model.settings)).toMatchObject({ text: 'Once upon', isCut: true });
  });

  test('a stream without [DONE], with content in parts and fields of unknown forms', async () => {
    await using model = await startScriptedModel((response) => {
      begin(response);
      send(response, {
        choices: [{ delta: { content: [{ type: 'text', text: 'Hel' }] } }],
        usage: 'none',
      });
      send(response, {
        choices: [{ delta: { content: 'lo', tool_calls: 7, reasoning: {} } }],
        error: null,
      });
      send(response, { choices: [{ delta: { content: null }, finish_reason: 'stop' }] });
      send(response, { pong: true });
      response.end();
    });
    expect(await readAnswer(model.settings)).toMatchObject({ text: 'Hello', failure: undefined });
  });

  test.each<[string, Reply]>([
    ['in parts with an index (OpenAI, vLLM)', calls(['complete_step', { step: 'name' }])],
    [
      'whole, without an index (Ollama)',
      streams({
        tool_calls: [
          { id: 'c', function: { name: 'complete_step', arguments: '{"step":"name"}' } },
        ],
      }),
    ],
    [
      'with arguments as an object',
      streams({
        tool_calls: [{ function: { name: 'complete_step', arguments: { step: 'name' } } }],
      }),
    ],
    [
      'as JSON in the text (llama.cpp)',
      says('{"name": "complete', '_step", "arguments": {"step": "name"}}'),
    ],
    [
      'as the older function_call',
      streams(
        { function_call: { name: 'complete_step', arguments: '{"step":' } },
        { function_call: { arguments: '"name"}' } },
      ),
    ],
  ])('a tool call %s is the same call', async (_, reply) => {
    await using model = await startScriptedModel(reply);
    const { text, toolCalls } = await readAnswer(model.settings, { tools: [TOOL] });
    expect({ text, toolCalls }).toEqual({
      text: '',
      toolCalls: [{ id: expect.any(String), name: 'complete_step', arguments: '{"step":"name"}' }],
    });
  });
});
