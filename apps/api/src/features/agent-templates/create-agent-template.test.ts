import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { DESK, idOf, agentTemplateTest as test } from '../../../testing/agent-templates.ts';

const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test('201 with all fields, as version 1, and null for what is not given', async ({
  templates,
  ana,
  projectId,
}) => {
  const created = await templates.post(DESK);
  expect([created.statusCode, created.headers.etag]).toEqual([201, '"1"']);
  const author = { createdBy: ana.id, createdAt: ISO, updatedBy: ana.id, updatedAt: ISO };
  const id = expect.any(String);
  const ids = { id, projectId, version: 1 };
  const plan = { ...DESK.plan, steps: [{ id: 'step-1', ...DESK.plan.steps[0] }] };
  expect(created.json()).toEqual({ ...ids, ...DESK, plan, ...author });
  expect(created.headers.location).toBe(`/agent-templates/${created.json().id}`);
  const least = await templates.post({ name: 'Least', role: 'core-agent' });
  expect(least.json()).toEqual({
    ...ids,
    name: 'Least',
    role: 'core-agent',
    instructions: null,
    greeting: null,
    language: null,
    timeZone: null,
    model: null,
    limits: null,
    failureMessage: null,
    variables: [],
    plan: null,
    tools: [],
    mcpServers: [],
    endConversation: null,
    answers: null,
    handover: null,
    ...author,
  });
});

test('201 with the servers as they were sent', async ({ templates }) => {
  const url = 'https://crm.example/{{hotel}}/mcp';
  const mcpServers = [{ ...CRM, url, headers: { authorization: '{{env.CRM_KEY}}' } }];
  expect((await templates.post({ ...DESK, mcpServers })).json().mcpServers).toEqual(mcpServers);
});

test('an Idempotency-Key creates one template', async ({ api, ana, templates }) => {
  const request = {
    method: 'POST',
    url: templates.url,
    payload: DESK,
    headers: { 'idempotency-key': 'desk' },
  } as const;
  const [first, again] = [await api.inject(ana, request), await api.inject(ana, request)];
  expect(again.json()).toEqual(first.json());
  expect(again.headers['idempotent-replayed']).toBe('true');
});

const CRM = { name: 'crm', url: 'https://crm.example/mcp', tools: [{ name: 'search' }] };

const servers = (count: number, tools: number) =>
  Array.from({ length: count }, (_, index) => ({
    ...CRM,
    name: `crm${index}`,
    tools: Array.from({ length: tools }, (__, number) => ({ name: `t${number}` })),
  }));

const manyVariables = Array.from({ length: 51 }, (_, index) => ({ name: `v${index}` }));

test.for<[string, object, RegExp]>([
  ['another role', { role: 'echo-agent' }, /role/],
  ['an unknown variable', { greeting: 'Hi {{gast}}' }, /greeting: no variable .*\{\{gast\}\}/],
  ['spaces in a placeholder', { greeting: 'Hi {{ guest }}' }, /\{\{ guest \}\}/],
  [
    'an unknown variable in a plan',
    { plan: { name: 'P', steps: [{ title: '{{x}}', instructions: 'a' }] } },
    /plan\.steps\.0\.title/,
  ],
  [
    'an unknown variable in a tool',
    { tools: [{ ...DESK.tools[0], description: 'Of {{x}}' }] },
    /tools\.0\.description/,
  ],
  [
    'an unknown variable in the URL of a server',
    { mcpServers: [{ ...CRM, url: 'https://crm.example/{{x}}' }] },
    /mcpServers\.0\.url/,
  ],
  [
    'an argument in the URL of a server',
    { mcpServers: [{ ...CRM, url: `${CRM.url}/{a}` }] },
    /argument/,
  ],
  ['a server without tools', { mcpServers: [{ ...CRM, tools: [] }] }, /mcpServers\.0\.tools/],
  ['a server twice', { mcpServers: [CRM, CRM] }, /only once/],
  ['five servers', { mcpServers: servers(5, 1) }, /mcpServers/],
  ['17 tools of a server', { mcpServers: servers(1, 17) }, /mcpServers\.0\.tools/],
  ['33 tools in all', { mcpServers: servers(3, 11) }, /at most 32 together/],
  [
    'no digest',
    { mcpServers: [{ ...CRM, tools: [{ name: 'a', digest: 'x' }] }] },
    /digest is sha256/,
  ],
  ['a name with __', { mcpServers: [{ ...CRM, name: 'a__b' }] }, /no two _/],
  ['a name with _ at its end', { mcpServers: [{ ...CRM, name: 'a_' }] }, /mcpServers\.0\.name/],
  ['a secret in the URL', { mcpServers: [{ ...CRM, url: 'https://x.example/{{env.K}}' }] }, /url/],
  ['an unknown field of the end', { endConversation: { leave: true } }, /endConversation/],
  [
    'a tool with the name of the end',
    {
      endConversation: {},
      tools: [{ ...DESK.tools[0], name: 'end_conversation' }],
      variables: DESK.variables,
    },
    /choose another name than end_conversation/,
  ],
  ['a handover to nobody', { handover: {} }, /name persons, agents or both/],
  ['a wait of no time', { handover: { persons: { waitSeconds: 0 } } }, /waitSeconds/],
  ['a wait of more than an hour', { handover: { persons: { waitSeconds: 3601 } } }, /waitSeconds/],
  [
    'an unknown variable in the words of a handover',
    { handover: { persons: { say: 'Wait, {{nobody}}.' } } },
    /handover\.persons\.say: no variable/,
  ],
  [
    'a tool with the name of a handover',
    {
      handover: { persons: {} },
      tools: [{ ...DESK.tools[0], name: 'hand_over' }],
      variables: DESK.variables,
    },
    /choose another name than hand_over/,
  ],
  ['no language', { language: 'english, please' }, /language is not valid: a language tag/],
  ['no time zone', { timeZone: 'Mars/Olympus' }, /timeZone is not valid: a time zone/],
  [
    'answers longer than half of the context',
    { model: { maxOutputTokens: 5000 } },
    /model\.maxOutputTokens is not valid: at most half/,
  ],
  ['a model’s address', { model: { baseUrl: 'https://evil.example' } }, /model\.baseUrl/],
  ['a name with a capital', { variables: [{ name: 'Guest' }] }, /variables\.0\.name/],
  ['a name twice', { variables: [{ name: 'a' }, { name: 'a' }] }, /only once/],
  ['51 variables', { variables: manyVariables }, /variables/],
  ['a default of two lines', { variables: [{ name: 'a', default: 'a\nb' }] }, /one line/],
  [
    'a long default',
    { variables: [{ name: 'a', default: 'x'.repeat(501) }] },
    /longer than maxLength/,
  ],
  ['2001 characters', { variables: [{ name: 'a', maxLength: 2001 }] }, /maxLength/],
  [
    'a required default',
    { variables: [{ name: 'a', default: 'b', required: true }] },
    /leave the default out/,
  ],
  ['long instructions', { instructions: 'x'.repeat(32_769) }, /instructions/],
  [
    'a definition of more than 100,000 bytes',
    {
      plan: {
        name: 'P',
        steps: Array.from({ length: 12 }, () => ({
          title: 'T',
          instructions: 'x'.repeat(8000),
        })),
      },
      instructions: 'x'.repeat(5000),
    },
    /at most 100000 bytes/,
  ],
])('400 for %s', async ([, part, fault], { templates }) => {
  const answer = await templates.post({ name: 'Desk', role: 'light-agent', ...part });
  expect([answer.statusCode, answer.json().code]).toEqual([400, 'invalid_request']);
  expect(JSON.stringify(answer.json())).toMatch(fault);
});

test('a handover names agent templates of the project, each by a name of its own, with the values that they need', async ({
  api,
  ana,
  templates,
}) => {
  const agentTemplateId = idOf(await templates.create({ name: 'Sales' }));
  const sales = { agentTemplateId, name: 'Sales', description: 'Knows prices.' };
  const post = async (agents: readonly object[], variables = [{ name: 'guest' }]) =>
    await templates.post({ name: 'Desk', role: 'light-agent', variables, handover: { agents } });
  expect((await post([sales])).json().handover).toEqual({ agents: [sales] });
  const deleted = await templates.create();
  await templates.ask('DELETE', deleted);
  const url = `/projects/${await api.createProject(ana)}/agent-templates`;
  const foreign = (await templates.ask('POST', url, { name: 'F', role: 'light-agent' })).json().id;
  for (const [agents, fault, variables] of [
    [[{ ...sales, agentTemplateId: uuidv7() }], 'Create it first, or name another one'],
    [[{ ...sales, agentTemplateId: idOf(deleted) }], 'Create it first, or name another one'],
    [[{ ...sales, agentTemplateId: foreign }], 'Create it first, or name another one'],
    [[sales, { ...sales, name: 'sales' }], 'each name may be used only once'],
    [[{ ...sales, name: 'Person' }], 'choose another name than person'],
    [[sales], 'handover.agents.0: the agent template of “Sales” requires a value for guest.', []],
  ] as const) {
    const refused = (await post(agents, variables && [...variables])).json();
    expect([refused.code, refused.detail]).toEqual([
      'invalid_request',
      expect.stringContaining(fault),
    ]);
    expect(refused.errors).toMatchObject([
      { path: expect.stringMatching(/^body\.handover\.agents/) },
    ]);
  }
});

test('braces that name no variable are text', async ({ templates }) => {
  const instructions = 'Answer as {"day": "…"}, {not this}, or {{.';
  const answer = await templates.post({ name: 'Desk', role: 'light-agent', instructions });
  expect(answer.json()).toMatchObject({ instructions });
});
