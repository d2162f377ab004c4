import type { AgentTemplate } from '@session/client';
import { expect, test } from 'vitest';
import { withNew } from '../keyed-rows.ts';
import { agentBody, agentDraftOf, type VariableDraft } from './agent-draft.ts';
import { mcpBody, NEW_SERVER } from './mcp-draft.ts';
import { NEW_TOOL, parametersFault, toolBody, toolDraftOf } from './tool-draft.ts';

const tool: AgentTemplate['tools'][number] = {
  name: 'find_rooms',
  description: 'Finds free rooms.',
  parameters: { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] },
  request: {
    method: 'GET',
    url: 'https://api.hotel.example/rooms?day={day}',
    headers: { authorization: 'Bearer {{env.HOTEL_KEY}}' },
  },
  timeoutMs: 5000,
  say: 'I look that up.',
};

const stored: NonNullable<Parameters<typeof agentDraftOf>[0]> = {
  name: 'Front desk',
  role: 'core-agent',
  instructions: 'Be brief.',
  greeting: null,
  model: { name: 'small', temperature: 0, contextTokens: 8192 },
  variables: [
    { name: 'hotel', default: 'our hotel', maxLength: 40 },
    { name: 'guest', required: true },
  ],
  tools: [tool],
  mcpServers: [
    {
      name: 'crm',
      url: 'https://crm.example/mcp',
      headers: { authorization: '{{env.CRM_KEY}}' },
      timeoutMs: 5000,
      tools: [{ name: 'search' }, { name: 'book a room', digest: `sha256:${'0'.repeat(64)}` }],
    },
  ],
  endConversation: { closeSession: true },
  handover: {
    persons: { say: 'One moment.', waitSeconds: 60 },
    agents: [
      { agentTemplateId: '01a20316-eea5-71fb-b52e-cc867c11482a', name: 'Sales' },
      {
        agentTemplateId: '01a20316-eea5-71fb-b52e-cc867c11482b',
        name: 'Care',
        description: 'Helps.',
      },
    ],
  },
  answers: 'named',
};

test('a stored template that nobody touched is sent as it is, with what the form has no fields for', () => {
  expect(agentBody(agentDraftOf(stored), stored)).toEqual(stored);
});

test('emptied fields are removed, and a model without a setting too', () => {
  const draft = { ...agentDraftOf(stored), instructions: ' ', modelName: '', temperature: '' };
  expect(agentBody(draft, stored)).toMatchObject({
    instructions: null,
    model: { contextTokens: 8192 },
  });
  expect(agentBody(draft, null).model).toBeNull();
  expect(agentBody({ ...agentDraftOf(null), name: ' Desk ' }, null)).toMatchObject({
    name: 'Desk',
    role: 'light-agent',
    tools: [],
    mcpServers: [],
    endConversation: null,
    answers: null,
    handover: null,
  });
});

test('a required variable has no default, and a row without a name is left out', () => {
  const draft = agentDraftOf(stored);
  const variables = draft.variables.map((variable) => ({ ...variable, isRequired: true }));
  const more = withNew<Omit<VariableDraft, 'key'>>(variables, {
    name: '',
    value: '',
    isRequired: false,
    maxLength: undefined,
  });
  expect(new Set(more.map(({ key }) => key)).size).toBe(3);
  expect(agentBody({ ...draft, variables: more }, null).variables).toEqual([
    { name: 'hotel', required: true, maxLength: 40 },
    { name: 'guest', required: true },
  ]);
});

test.each([
  ['{"type":', /^This is not JSON: /],
  ['[]', /^An object is needed/],
  ['null', /^An object is needed/],
])('parameters %s are refused where they stand', (parameters, fault) => {
  expect(parametersFault({ parameters })).toMatch(fault);
  expect(() => toolBody({ ...NEW_TOOL, key: 0, parameters })).toThrow(fault);
});

test('a new tool has parameters that can be sent', () => {
  expect(parametersFault(NEW_TOOL)).toBeNull();
  expect(toolBody({ ...toolDraftOf(tool, 0), headers: [] }).request).toEqual({
    method: 'GET',
    url: tool.request.url,
  });
});

test('the tools of a server are a line each, and empty lines are none', () => {
  const tools = '\n search \n\nbook a room   sha256:ab\n';
  const body = mcpBody({ ...NEW_SERVER, key: 0, name: 'crm', url: ' https://x.example ', tools });
  expect(body).toEqual({
    name: 'crm',
    url: 'https://x.example',
    tools: [{ name: 'search' }, { name: 'book a room', digest: 'sha256:ab' }],
  });
});
