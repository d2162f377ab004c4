import { expect } from 'vitest';
import { idOf, agentTemplateTest as test } from '../../../testing/agent-templates.ts';

test('200 with a new version: fields that are not named stay, null removes one', async ({
  templates,
}) => {
  const url = await templates.create();
  const before = (await templates.ask('GET', url)).json();
  const change = { version: 1, name: 'Desk', greeting: null, tools: null };
  const changed = await templates.ask('PATCH', url, change);
  expect(changed.json()).toEqual({
    ...before,
    name: 'Desk',
    greeting: null,
    tools: [],
    version: 2,
    updatedAt: expect.any(String),
  });
  expect(changed.headers.etag).toBe('"2"');
});

test('200 without a new version for a change that changes nothing', async ({ templates }) => {
  const url = await templates.create();
  const before = (await templates.ask('GET', url)).json();
  const { name, greeting, tools } = before;
  for (const same of [{}, { name }, { greeting, tools }, { restore: 1 }]) {
    const answer = await templates.ask('PATCH', url, same);
    expect([answer.statusCode, answer.json()]).toEqual([200, before]);
  }
});

test('412 for another version, by body or by header, and nothing changes', async ({
  api,
  ana,
  templates,
}) => {
  const url = await templates.create();
  const byBody = await templates.ask('PATCH', url, { version: 2, name: 'Late' });
  const headers = { 'if-match': '"2"' };
  const payload = { name: 'Late' };
  const byHeader = await api.inject(ana, { method: 'PATCH', url, payload, headers });
  for (const refused of [byBody, byHeader]) {
    expect([refused.statusCode, refused.json().code]).toEqual([412, 'changed_meanwhile']);
  }
  expect((await templates.ask('GET', url)).json()).toMatchObject({
    name: 'Front desk',
    version: 1,
  });
});

test('of two writers at once without a version, both changes are kept', async ({ templates }) => {
  const url = await templates.create();
  const changes = [{ name: 'Desk' }, { greeting: 'Hello.' }, { language: 'de' }];
  await Promise.all(changes.map((change) => templates.ask('PATCH', url, change)));
  expect((await templates.ask('GET', url)).json()).toMatchObject({
    name: 'Desk',
    greeting: 'Hello.',
    language: 'de',
    version: 4,
  });
});

test('a former version is brought back as a new one', async ({ templates }) => {
  const url = await templates.create();
  const first = (await templates.ask('GET', url)).json();
  await templates.ask('PATCH', url, { name: 'Desk', role: 'core-agent', instructions: null });
  const restored = await templates.ask('PATCH', url, { version: 2, restore: 1 });
  expect(restored.json()).toEqual({ ...first, version: 3, updatedAt: expect.any(String) });
  const refused = await templates.ask('PATCH', url, { restore: 9 });
  expect([refused.statusCode, refused.json().detail]).toEqual([
    404,
    'The template has no version 9, or no longer keeps it. Name another version.',
  ]);
  expect((await templates.ask('PATCH', url, { restore: 1, name: 'x' })).statusCode).toBe(400);
});

test.for<[string, object]>([
  ['a variable that texts still name', { variables: [] }],
  ['a text with an unknown variable', { greeting: '{{nobody}}' }],
  ['no name', { name: null }],
  ['no role', { role: null }],
  ['another role', { role: 'echo-agent' }],
  ['an unknown field', { colour: 'red' }],
])('400 for %s, and the template stays as it was', async ([, change], { templates }) => {
  const url = await templates.create();
  expect((await templates.ask('PATCH', url, change)).statusCode).toBe(400);
  expect((await templates.ask('GET', url)).json()).toMatchObject({ version: 1 });
});

test('400 for a handover to itself, and for a change that takes a value from a successor, also by a restore', async ({
  templates,
}) => {
  const sales = await templates.create({ name: 'Sales' });
  const url = await templates.create({ variables: [{ name: 'guest' }, { name: 'hotel' }] });
  const faults: string[] = [];
  const refuse = async (change: object) => {
    const answer = (await templates.ask('PATCH', url, change)).json();
    expect(answer.code).toBe('invalid_request');
    faults.push(answer.detail);
  };
  await refuse(handingOverTo(url));
  await templates.ask('PATCH', url, handingOverTo(sales));
  const texts = { greeting: null, failureMessage: null, instructions: null, plan: null };
  await refuse({ ...texts, tools: null, variables: null });
  await templates.ask('PATCH', url, { handover: null });
  await templates.ask('DELETE', sales);
  await refuse({ restore: 2 });
  expect(faults).toEqual([
    expect.stringContaining('“Sales” is this agent template itself. Name another one.'),
    expect.stringContaining('requires a value for guest'),
    expect.stringContaining('Create it first, or name another one.'),
  ]);
});

test('a change of other fields passes though a successor was deleted', async ({ templates }) => {
  const sales = await templates.create({ name: 'Sales' });
  const agents = [{ agentTemplateId: sales.split('/').at(-1), name: 'Sales' }];
  const url = await templates.create({ handover: { agents } });
  await templates.ask('DELETE', sales);
  // A form sends all its fields.
  const { variables } = (await templates.ask('GET', url)).json();
  const change = { language: 'de', handover: { agents }, variables };
  expect((await templates.ask('PATCH', url, change)).statusCode).toBe(200);
});

/** Returns a change by which agents may hand over to a template at this path. */
function handingOverTo(path: string): object {
  return { handover: { agents: [{ agentTemplateId: idOf(path), name: 'Sales' }] } };
}
