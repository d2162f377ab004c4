import { expect, test } from 'vitest';
import { readFrom } from '../../testing/read-answer.ts';
import { fails, type Reply, says, startScriptedModel } from '../../testing/scripted-model.ts';
import type { ToolDefinition } from '../plan/plan-tools.ts';
import { ModelClient } from './model-client.ts';

const TOOLS = ['first', 'second', 'third'].map(
  (name): ToolDefinition => ({ name, description: '', parameters: { type: 'object' } }),
);

const namesOf = ({ body }: { readonly body: Readonly<Record<string, unknown>> }): string[] =>
  [body['tools'] ?? []].flat().map((tool) => Object(tool).function.name);

const errorOf = (message: string, fields: object = {}) => ({ error: { message, ...fields } });

test.for<[string, unknown]>([
  [
    'OpenAI',
    errorOf("Invalid schema for function 'second': In context=(), array schema missing items.", {
      param: 'tools[1].function.parameters',
      code: 'invalid_function_parameters',
    }),
  ],
  ['OpenAI, by its name', errorOf("Invalid schema for function 'second': missing items.")],
  ['Anthropic', errorOf('tools.1.custom.input_schema: JSON schema is invalid')],
  [
    'Google',
    errorOf('tools[0].function_declarations[1].parameters.properties: should be non-empty'),
  ],
])('one tool that is refused is left out, and the others stay: %s', async ([, error]) => {
  const refuses: Reply = (response, request) => {
    const isBad = namesOf(request).includes('second');
    return (isBad ? fails(400, error) : says('Yes'))(response, request);
  };
  await using model = await startScriptedModel(refuses);
  const log: string[] = [];
  using client = new ModelClient(model.settings, { log: (line) => void log.push(line) });
  for (let turn = 0; turn < 2; turn += 1) {
    expect((await readFrom(client, { tools: TOOLS })).text).toBe('Yes');
  }
  expect(model.requests.map(namesOf)).toEqual([
    ['first', 'second', 'third'],
    ['first', 'third'],
    ['first', 'third'],
  ]);
  expect([client.hasTools, client.hasAllTools]).toEqual([true, false]);
  expect(log).toEqual(['leaving out tool "second": model\'s endpoint refused it']);
});

const groq = errorOf('tool call validation failed: parameters for tool second did not match', {
  code: 'tool_use_failed',
});

test.for<[string, Reply[]]>([
  ['by its model, even the first time', [fails(400, groq), says('Yes')]],
  [
    'by the endpoint, once it has accepted tools',
    [says('Yes'), fails(400, errorOf('x does not support tools')), says('Yes')],
  ],
])('a request that failed for a tool call is repeated with all tools: %s', async ([, replies]) => {
  await using model = await startScriptedModel(...replies);
  using client = new ModelClient(model.settings, { pauseScale: 0 });
  for (let turn = 1; turn < replies.length; turn += 1) {
    expect(await readFrom(client, { tools: TOOLS })).toMatchObject({ text: 'Yes' });
  }
  expect(model.requests.map((request) => namesOf(request).length)).toEqual(replies.map(() => 3));
});

test('an endpoint that no longer accepts tools is asked without them', async () => {
  const refusesTools = fails(400, errorOf('x does not support tools'));
  await using model = await startScriptedModel(
    says('Yes'),
    refusesTools,
    refusesTools,
    says('Yes'),
  );
  using client = new ModelClient(model.settings, { pauseScale: 0 });
  for (let turn = 0; turn < 3; turn += 1) {
    expect((await readFrom(client, { tools: TOOLS })).text).toBe('Yes');
  }
  expect(model.requests.map((request) => namesOf(request).length)).toEqual([3, 3, 3, 0, 0]);
  expect(client.hasTools).toBe(false);
});

test('a refusal that stays without the tools declines the request, and leaves out no tools', async () => {
  const filtered = fails(400, errorOf('the content of a tool message was filtered'));
  await using model = await startScriptedModel(
    says('Yes'),
    filtered,
    filtered,
    filtered,
    says('Yes'),
  );
  using client = new ModelClient(model.settings, { pauseScale: 0 });
  await readFrom(client, { tools: TOOLS });
  expect((await readFrom(client, { tools: TOOLS })).failure?.kind).toBe('declined');
  expect((await readFrom(client, { tools: TOOLS })).text).toBe('Yes');
  expect(model.requests.map((request) => namesOf(request).length)).toEqual([3, 3, 3, 0, 3]);
});
