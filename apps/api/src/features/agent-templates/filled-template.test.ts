import { AgentDefinition, type AgentTemplateDefinition } from '@session/contract';
import { templateEnvironment, variableValues } from '@session/conversation/template';
import { expect, test } from 'vitest';
import { EMPTY_DEFINITION } from './definition.ts';

const id = '01a20316-eea5-71fb-b52e-cc867c11482a';
const hosts = { HOTEL_KEY: ['api.hotel.example'], OTHER_KEY: ['other.example'] };

function environmentOf(
  part: Partial<AgentTemplateDefinition>,
  values: Record<string, string> = {},
) {
  return templateEnvironment({ id, definition: { ...EMPTY_DEFINITION, ...part }, values }, hosts);
}

test('a template without fields sets no variable', () => {
  expect(environmentOf({})).toEqual({});
});

test('an agent knows the name of its template, and whether it answers by that alone', () => {
  const definition = { ...EMPTY_DEFINITION, answers: 'named' as const };
  const { AGENT_DEFINITION = '' } = templateEnvironment(
    { id, name: 'Front desk', definition, values: {} },
    hosts,
  );
  expect(JSON.parse(AGENT_DEFINITION)).toMatchObject({ answers: 'named', name: 'Front desk' });
  const first = { ...EMPTY_DEFINITION, answers: 'first' as const };
  const own = templateEnvironment({ id, name: 'Desk', definition: first, values: {} }, hosts);
  expect(JSON.parse(own['AGENT_DEFINITION'] ?? '')).toEqual({
    version: 1,
    name: 'Desk',
    tools: [],
    hosts: {},
  });
});

test('the end of the conversation alone makes a definition, without what the API does then', () => {
  const { AGENT_DEFINITION = '' } = environmentOf({ endConversation: { closeSession: true } });
  expect(JSON.parse(AGENT_DEFINITION)).toEqual({
    version: 1,
    tools: [],
    hosts: {},
    endConversation: true,
  });
  expect(AgentDefinition.parse(JSON.parse(AGENT_DEFINITION)).endConversation).toBe(true);
});

test('a handover alone makes a definition, with the words for this conversation', () => {
  const handover = { persons: { say: 'One moment, {{guest}}.' } };
  const { AGENT_DEFINITION = '' } = environmentOf(
    { handover, variables: [{ name: 'guest' }] },
    { guest: 'Ann' },
  );
  expect(AgentDefinition.parse(JSON.parse(AGENT_DEFINITION))).toMatchObject({
    endConversation: false,
    handover: { persons: { say: 'One moment, Ann.', waitSeconds: 120 } },
  });
});

test('every field reaches the variable that the program reads, numbers without an exponent', () => {
  expect(
    environmentOf(
      {
        instructions: 'You are {{name}}.',
        greeting: 'off',
        language: 'de-CH',
        timeZone: 'Europe/Rome',
        failureMessage: 'Sorry, {{name}}.',
        model: {
          name: 'small',
          temperature: 1e-7,
          maxOutputTokens: 100,
          contextTokens: 32_000,
          firstTokenMs: 4000,
        },
        limits: {
          nudgeAfterMs: 5000,
          leaveAfterMinutes: 0.5,
          maxTalkMinutes: 20,
          budgetTokens: 200_000,
        },
      },
      { name: 'Ada' },
    ),
  ).toEqual({
    INSTRUCTIONS: 'You are Ada.',
    GREETING: 'off',
    LANGUAGE: 'de-CH',
    TIME_ZONE: 'Europe/Rome',
    FAILURE_MESSAGE: 'Sorry, Ada.',
    LLM_MODEL: 'small',
    LLM_TEMPERATURE: '0',
    LLM_MAX_OUTPUT_TOKENS: '100',
    LLM_CONTEXT_TOKENS: '32000',
    LLM_FIRST_TOKEN_MS: '4000',
    NUDGE_AFTER_MS: '5000',
    LEAVE_AFTER_MINUTES: '0.5',
    MAX_TALK_MINUTES: '20',
    LLM_BUDGET_TOKENS: '200000',
  });
});

test('values are filled in once: braces, dollars and secrets in them stay text', () => {
  const values = { a: '{{b}} {{env.HOTEL_KEY}} {day} $& $1', b: 'never' };
  const step = { id: 's', title: '{{a}}', instructions: '{{a}}' };
  const deliverable = { id: 'd', title: '{{a}}', type: 'choice' as const, choices: ['{{a}}'] };
  const { GREETING, PLAN, AGENT_DEFINITION } = environmentOf(
    {
      greeting: '{{a}}',
      plan: { name: 'Of {{a}}', steps: [{ ...step, deliverable }] },
      tools: [
        {
          name: 'find',
          description: 'Of {{a}}',
          say: '{{a}}',
          parameters: {
            type: 'object',
            properties: { day: { type: 'string' } },
            required: ['day'],
          },
          request: {
            method: 'POST',
            url: 'https://api.hotel.example/{{a}}?d={day}',
            headers: { authorization: '{{env.HOTEL_KEY}}' },
          },
        },
      ],
    },
    values,
  );
  expect(GREETING).toBe(values.a);
  expect(JSON.parse(PLAN ?? '')).toEqual({
    id,
    name: `Of ${values.a}`,
    description: null,
    steps: [
      {
        id: 's',
        title: values.a,
        instructions: values.a,
        deliverable: { ...deliverable, title: values.a, choices: [values.a] },
      },
    ],
  });
  const definition = AgentDefinition.parse(JSON.parse(AGENT_DEFINITION ?? ''));
  expect(definition).toMatchObject({
    version: 1,
    tools: [
      {
        description: `Of ${values.a}`,
        say: values.a,
        request: {
          url: `https://api.hotel.example/${encodeURIComponent(values.a)}?d={day}`,
          headers: { authorization: '{{env.HOTEL_KEY}}' },
        },
        timeoutMs: 10_000,
        onInterrupt: 'finish',
        record: 'full',
      },
    ],
  });
  expect(definition.hosts).toEqual({ HOTEL_KEY: hosts.HOTEL_KEY });
});

test.for(['https://a.example/rooms/{{a}}', 'https://a.example/{{a}}/rooms?b=1'])(
  'a variable in the path of %s has a value: the path would name another resource',
  (url) => {
    const parameters = { type: 'object' as const, properties: {} };
    const request = { method: 'DELETE' as const, url };
    const tool = { name: 'free', description: 'Frees a room.', parameters, request };
    expect(() => environmentOf({ tools: [tool] }, { a: '' })).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        detail:
          'The variable a is in the path of a URL, and has no value. Send one in `variables`.',
      }),
    );
    expect(environmentOf({ tools: [tool] }, { a: '7' })).toHaveProperty('AGENT_DEFINITION');
  },
);

test('a variable has its value, its default, or is empty', () => {
  const variables = [{ name: 'a' }, { name: 'b', default: 'B' }, { name: 'c', default: 'C' }];
  expect(variableValues({ variables }, { b: '', c: 'own' })).toEqual({ a: '', b: '', c: 'own' });
  expect(variableValues({ variables })).toEqual({ a: '', b: 'B', c: 'C' });
});

test('a server gets its URL filled in, and its defaults; its key stays a name, with its hosts', () => {
  const url = 'https://api.hotel.example/{{a}}/mcp';
  const headers = { authorization: '{{env.HOTEL_KEY}}' };
  const mcpServers = [{ name: 'crm', url, headers, tools: [{ name: 'search' }] }];
  const { AGENT_DEFINITION = '' } = environmentOf({ mcpServers }, { a: 'b/c' });
  expect(JSON.parse(AGENT_DEFINITION)).toEqual({
    version: 1,
    // An agent of an earlier release reads only this field, and starts without tools.
    tools: [],
    mcpServers: [
      {
        name: 'crm',
        url: 'https://api.hotel.example/b%2Fc/mcp',
        headers,
        timeoutMs: 10_000,
        tools: [{ name: 'search' }],
      },
    ],
    hosts: { HOTEL_KEY: hosts.HOTEL_KEY },
  });
  expect(() => environmentOf({ mcpServers }, { a: '' })).toThrow(
    expect.objectContaining({ code: 'invalid_request' }),
  );
});
