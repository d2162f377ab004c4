import { expect, test } from 'vitest';
import { readFrom } from '../../testing/read-answer.ts';
import { startScriptedModel, streams } from '../../testing/scripted-model.ts';
import type { ToolDefinition } from '../plan/plan-tools.ts';
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
  const messages = [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: '', toolCalls },
    { role: 'tool', toolCallId: toolCalls[0]?.id ?? '', content: 'done' },
  ] as const;
  for (const client of [first, second]) await readFrom(client, { tools: [TOOL], messages });
  const sent = model.requests.map(({ body }) =>
    JSON.stringify(body).match(/"extra_content":.*?}}/),
  );
  const signature = '"extra_content":{"google":{"thought_signature":"abc"}}';
  expect(sent.map((found) => found?.[0])).toEqual([undefined, signature, undefined]);
});

test('a signature that is much longer than those of any endpoint is dropped, and its call is not', async () => {
  await using model = await startScriptedModel(signed('x'.repeat(65_537)));
  using client = new ModelClient(model.settings);
  const { toolCalls } = await readFrom(client, { tools: [TOOL] });
  expect(toolCalls).toEqual([{ id: 'call-0', name: 'complete_step', arguments: '{}' }]);
});

function signed(signature: string) {
  const called = { name: 'complete_step', arguments: '{}' };
  const extra_content = { google: { thought_signature: signature } };
  return streams({ tool_calls: [{ index: 0, id: 'call-0', function: called, extra_content }] });
}
