import * as db from '@session/db';
import { expect } from 'vitest';
import { codeOf, envTemplateTest as test, VARIABLES } from '../../../testing/env-templates.ts';

const SECRET = VARIABLES.LLM_API_KEY;
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test('201 with the names of the variables and a Location that answers the same; no answer ever holds a value', async ({
  api,
  ana,
  projectId,
  templates,
}) => {
  const created = await templates.create({ name: ' keys ', variables: VARIABLES });
  const template = {
    id: expect.stringMatching(/^.{14}7/),
    projectId,
    name: 'keys',
    keys: ['LLM_API_KEY', 'TTS_API_KEY'],
    hosts: {},
    isDefault: false,
    version: 1,
    createdAt: TIME,
    updatedAt: TIME,
  };
  expect([created.statusCode, created.json()]).toEqual([201, template]);
  const found = await api.inject(ana, { url: String(created.headers.location) });
  expect([found.statusCode, found.json()]).toEqual([200, created.json()]);
  const listed = await api.inject(ana, { url: templates.url });
  expect(listed.json()).toEqual({ items: [created.json()], nextCursor: null });
  for (const { body } of [created, found, listed]) expect(body).not.toContain('hunter2');
});

test('values are stored encrypted with AES-256-GCM, and only their names can be read', async ({
  api,
  ana,
  templates,
}) => {
  const { id } = (await templates.create({ name: 'keys', variables: VARIABLES })).json();
  const stored = await db.findEnvTemplate(api.deps.database, { id, userId: ana.id });
  if (!stored) throw new Error('the template is not stored');
  const { nonce, ciphertext, ...row } = stored;
  const bytes = Buffer.concat([nonce, ciphertext]);
  const text = `${JSON.stringify(row)} ${bytes.toString('latin1')} ${bytes.toString('hex')}`;
  expect(text).toContain('LLM_API_KEY');
  expect(text).not.toContain('hunter2');
  expect(text).not.toContain(Buffer.from(SECRET).toString('hex'));
});

test('409 for the name of another template of the project, on creation and on renaming', async ({
  templates,
}) => {
  await templates.create({ name: 'keys', variables: VARIABLES });
  expect(codeOf(await templates.create({ name: 'keys', variables: VARIABLES }))).toBe(
    '409 name_taken',
  );
  const { id } = (await templates.create({ name: 'others', variables: VARIABLES })).json();
  expect(codeOf(await templates.change(id, { name: 'keys' }))).toBe('409 name_taken');
});

test('at most one default template: the last one that was made the default', async ({
  templates,
}) => {
  const given = { variables: VARIABLES, isDefault: true };
  const first = (await templates.create({ name: 'one', ...given })).json();
  const second = (await templates.create({ name: 'two', ...given })).json();
  const isDefault = async ({ id }: { id: string }) => (await templates.find(id)).json().isDefault;
  expect([await isDefault(first), await isDefault(second)]).toEqual([false, true]);
  await templates.change(first.id, { isDefault: true });
  expect([await isDefault(first), await isDefault(second)]).toEqual([true, false]);
});

test.for<[string, object]>([
  ['no LLM_API_KEY', { TTS_API_KEY: SECRET }],
  ['an empty one', { LLM_API_KEY: '' }],
  ['a name in small letters', { ...VARIABLES, key: SECRET }],
  ['a name that begins with a digit', { ...VARIABLES, '1KEY': SECRET }],
  ['a name of 65 characters', { ...VARIABLES, ['A'.repeat(65)]: SECRET }],
  ...['MEDIA_TOKEN', 'AGENT_ID', 'SESSION_ID', 'PLAN', 'NODE_OPTIONS', 'LD_PRELOAD', 'PATH'].map(
    (name): [string, object] => [`the reserved ${name}`, { ...VARIABLES, [name]: SECRET }],
  ),
  ['a value of more than 32 KiB', { ...VARIABLES, KEY: 'é'.repeat(16_385) }],
  ['a value that is no text', { ...VARIABLES, KEY: 7 }],
  ['a value with NUL', { ...VARIABLES, KEY: `${SECRET}\0` }],
  [
    'more than 100 variables',
    Object.fromEntries([
      ['LLM_API_KEY', SECRET],
      ...Array.from({ length: 100 }, (_, i) => [`K${i}`, SECRET]),
    ]),
  ],
])('400 for %s, in a message without any value', async ([, variables], { templates }) => {
  const refused = await templates.create({ name: 'keys', variables });
  expect(codeOf(refused)).toBe('400 invalid_request');
  expect(refused.body).not.toContain('hunter2');
  const { id } = (await templates.create({ name: 'keys', variables: VARIABLES })).json();
  const isMissing = !('LLM_API_KEY' in variables);
  const change = { variables: isMissing ? { LLM_API_KEY: null } : variables };
  const unchanged = await templates.change(id, change);
  expect(codeOf(unchanged)).toBe('400 invalid_request');
  expect(unchanged.body).not.toContain('hunter2');
});

test('the message about a reserved variable names all reserved names', async ({ templates }) => {
  const variables = { ...VARIABLES, NODE_OPTIONS: SECRET };
  const refused = await templates.create({ name: 'keys', variables });
  const { message } = refused.json().errors[0];
  expect(message).toMatch(/NODE_\*.*\*_PROXY.*HOSTALIASES$/);
});
