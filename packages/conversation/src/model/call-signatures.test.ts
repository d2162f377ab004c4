import { expect, test } from 'vitest';
import { gemini, speaks } from '../../testing/dialects.ts';
import { readFrom } from '../../testing/read-answer.ts';
import { calls, fails, startScriptedModel, streams } from '../../testing/scripted-model.ts';
import type { ToolDefinition } from '../plan/plan-tools.ts';
import { messagesOf, withoutWords } from '../prompt/history-entry.ts';
import type { ToolCall } from './chat-message.ts';
import { FallbackModel } from './fallback-model.ts';
import { ModelClient } from './model-client.ts';

const TOOL: ToolDefinition = {
  name: 'complete_step',
  description: 'Marks the step as done.',
  parameters: { type: 'object', properties: {}, required: [] },
};

test('the signature of a call goes back to the endpoint that gave it, and to no other one', async () => {
  await using model = await startScriptedModel(signed('abc'));
  using first = new ModelClient(model.settings);
  using second = new ModelClient(model.settings);
  const { toolCalls } = await readFrom(first, { tools: [TOOL] });
  const messages = messagesWith(toolCalls);
  for (const client of [first, second]) await readFrom(client, { tools: [TOOL], messages });
  const sent = model.requests.map(({ body }) =>
    JSON.stringify(body).match(/"extra_content":.*?}}/),
  );
  const signature = '"extra_content":{"google":{"thought_signature":"abc"}}';
  expect(sent.map((found) => found?.[0])).toEqual([undefined, signature, undefined]);
});

test('a call whose arguments are left out keeps its signature', async () => {
  await using model = await startScriptedModel(signed('abc'));
  using client = new ModelClient(model.settings);
  const { toolCalls } = await readFrom(client, { tools: [TOOL] });
  const entry = withoutWords({ kind: 'tools', text: '', calls: toolCalls, results: ['done'] });
  await readFrom(client, { tools: [TOOL], messages: messagesOf(entry, false) });
  expect(JSON.stringify(model.requests[1]?.body)).toContain('"thought_signature":"abc"');
});

test('a fallback model that wants signatures gets the calls of the first one as text, and keeps its tools', async () => {
  await using first = await startScriptedModel(calls(['complete_step', {}]), fails(503));
  await using second = await startScriptedModel(speaks(gemini, [{ words: 'One.' }]));
  using one = new ModelClient(first.settings, { mayRetry: false });
  using other = new ModelClient(second.settings, { pauseScale: 0 });
  const model = new FallbackModel(one, other);
  const { toolCalls } = await readFrom(model, { tools: [TOOL] });
  const request = { tools: [TOOL], messages: messagesWith(toolCalls) };
  expect(await readFrom(model, request)).toMatchObject({ text: 'One.', failure: undefined });
  await readFrom(model, request);
  expect(model.hasTools).toBe(true);
  expect(second.requests).toHaveLength(3);
  for (const { body } of second.requests.slice(1)) {
    expect(body).toMatchObject({
      tools: [{ function: { name: 'complete_step' } }],
      messages: [{ role: 'user', content: 'Hello\n\n[Result of a tool: done]' }],
    });
  }
});

test('an endpoint that goes on missing signatures declines the request, and keeps its tools', async () => {
  const misses = fails(400, { error: { message: 'tools: a thought_signature is missing' } });
  await using model = await startScriptedModel(misses);
  using client = new ModelClient(model.settings, { pauseScale: 0 });
  expect((await readFrom(client, { tools: [TOOL] })).failure?.kind).toBe('declined');
  expect(model.requests).toHaveLength(2);
  expect(client.hasTools).toBe(true);
});

test('a signature that is much longer than those of any endpoint is dropped, and its call is not', async () => {
  await using model = await startScriptedModel(signed('x'.repeat(65_537)));
  using client = new ModelClient(model.settings);
  const { toolCalls } = await readFrom(client, { tools: [TOOL] });
  expect(toolCalls).toEqual([{ id: 'call-0', name: 'complete_step', arguments: '{}' }]);
});

function messagesWith(toolCalls: readonly ToolCall[]) {
  return [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: '', toolCalls },
    { role: 'tool', toolCallId: toolCalls[0]?.id ?? '', content: 'done' },
  ] as const;
}

function signed(signature: string) {
  const called = { name: 'complete_step', arguments: '{}' };
  const extra_content = { google: { thought_signature: signature } };
  return streams({ tool_calls: [{ index: 0, id: 'call-0', function: called, extra_content }] });
}
