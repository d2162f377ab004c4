import { createTestDatabase } from '@session/testing';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { expect, test } from 'vitest';
import { startTestApi, type TestApi, type TestUser } from '../../../testing/api.ts';

const SECRET = 'sk-hunter2';
const variables = { LLM_API_KEY: SECRET, TTS_API_KEY: 'tts-hunter2' };
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test('201 with the names of the variables and a Location that answers the same; no answer ever holds a value', async () => {
  await using fixture = await openFixture();
  const { projectId } = fixture;
  const created = await fixture.create({ name: ' keys ', variables });
  const template = {
    id: expect.stringMatching(/^.{14}7/),
    projectId,
    name: 'keys',
    keys: ['LLM_API_KEY', 'TTS_API_KEY'],
    isDefault: false,
    version: 1,
    createdAt: TIME,
    updatedAt: TIME,
  };
  expect([created.statusCode, created.json()]).toEqual([201, template]);
  const found = await fixture.ask('GET', String(created.headers.location));
  expect([found.statusCode, found.json()]).toEqual([200, created.json()]);
  const listed = await fixture.ask('GET', `/projects/${projectId}/env-templates`);
  expect(listed.json()).toEqual({ items: [created.json()], nextCursor: null });
  for (const { body } of [created, found, listed]) expect(body).not.toContain('hunter2');
});

test('values lie in the database sealed with AES-256-GCM, and their names alone are to be read', async () => {
  await using fixture = await openFixture();
  const { id } = (await fixture.create({ name: 'keys', variables })).json();
  const { rows } = await fixture.dump(id);
  expect(rows).toContain('LLM_API_KEY');
  expect(rows).not.toContain('hunter2');
  expect(rows).not.toContain(Buffer.from(SECRET).toString('hex'));
});

test('200 for a change, which merges: null removes a variable, what is not named stays', async () => {
  await using fixture = await openFixture();
  const { id } = (await fixture.create({ name: 'keys', variables })).json();
  const change = { name: 'others', variables: { TTS_API_KEY: null, STT_PROVIDER: 'x' } };
  const changed = await fixture.ask('PATCH', `/env-templates/${id}`, change);
  expect([changed.statusCode, changed.json()]).toMatchObject([
    200,
    { name: 'others', keys: ['LLM_API_KEY', 'STT_PROVIDER'], version: 2 },
  ]);
  expect(await fixture.open(id)).toEqual({ LLM_API_KEY: SECRET, STT_PROVIDER: 'x' });
});

test('changes at the same instant are all there in the end', async () => {
  await using fixture = await openFixture();
  const { id } = (await fixture.create({ name: 'keys', variables })).json();
  const names = ['A', 'B', 'C', 'D', 'E', 'F'];
  const answers = await Promise.all(
    names.map((name) =>
      fixture.ask('PATCH', `/env-templates/${id}`, { variables: { [name]: name } }),
    ),
  );
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(names.map(() => 200));
  const added = Object.fromEntries(names.map((name) => [name, name]));
  expect(await fixture.open(id)).toEqual({ ...variables, ...added });
});

test('409 for a name that another template of the project has, when made and when renamed', async () => {
  await using fixture = await openFixture();
  await fixture.create({ name: 'keys', variables });
  expect(codeOf(await fixture.create({ name: 'keys', variables }))).toBe('409 name_taken');
  const { id } = (await fixture.create({ name: 'others', variables })).json();
  const renamed = await fixture.ask('PATCH', `/env-templates/${id}`, { name: 'keys' });
  expect(codeOf(renamed)).toBe('409 name_taken');
});

test('one default at most: the newest to be made it', async () => {
  await using fixture = await openFixture();
  const first = (await fixture.create({ name: 'one', variables, isDefault: true })).json();
  const second = (await fixture.create({ name: 'two', variables, isDefault: true })).json();
  const isDefault = async ({ id }: { id: string }) =>
    (await fixture.ask('GET', `/env-templates/${id}`)).json().isDefault;
  expect([await isDefault(first), await isDefault(second)]).toEqual([false, true]);
  await fixture.ask('PATCH', `/env-templates/${first.id}`, { isDefault: true });
  expect([await isDefault(first), await isDefault(second)]).toEqual([true, false]);
});

test('204, and 404 from then on', async () => {
  await using fixture = await openFixture();
  const { id } = (await fixture.create({ name: 'keys', variables })).json();
  const deleted = await fixture.ask('DELETE', `/env-templates/${id}`);
  expect([deleted.statusCode, deleted.body]).toEqual([204, '']);
  expect(codeOf(await fixture.ask('GET', `/env-templates/${id}`))).toBe('404 not_found');
});

test.each<[string, object]>([
  ['no LLM_API_KEY', { TTS_API_KEY: SECRET }],
  ['an empty one', { LLM_API_KEY: '' }],
  ['a name in small letters', { ...variables, key: SECRET }],
  ['a name that begins with a digit', { ...variables, '1KEY': SECRET }],
  ['a name of 65 characters', { ...variables, ['A'.repeat(65)]: SECRET }],
  ...['MEDIA_TOKEN', 'AGENT_ID', 'SESSION_ID', 'PLAN', 'NODE_OPTIONS', 'LD_PRELOAD', 'PATH'].map(
    (name): [string, object] => [`the reserved ${name}`, { ...variables, [name]: SECRET }],
  ),
  ['a value of more than 32 KiB', { ...variables, KEY: 'é'.repeat(16_385) }],
  ['a value that is no text', { ...variables, KEY: 7 }],
  ['a value with NUL', { ...variables, KEY: `${SECRET}\0` }],
  [
    'more than 100 variables',
    Object.fromEntries([
      ['LLM_API_KEY', SECRET],
      ...Array.from({ length: 100 }, (_, i) => [`K${i}`, SECRET]),
    ]),
  ],
])('400 for %s, in a message without any value', async (_, given) => {
  await using fixture = await openFixture();
  const refused = await fixture.create({ name: 'keys', variables: given });
  expect(codeOf(refused)).toBe('400 invalid_request');
  expect(refused.body).not.toContain('hunter2');
  const { id } = (await fixture.create({ name: 'keys', variables })).json();
  const isMissing = !('LLM_API_KEY' in given);
  const change = { variables: isMissing ? { LLM_API_KEY: null } : given };
  const unchanged = await fixture.ask('PATCH', `/env-templates/${id}`, change);
  expect(codeOf(unchanged)).toBe('400 invalid_request');
  expect(unchanged.body).not.toContain('hunter2');
});

test('409 for a change when the key is lost: the values cannot be merged, and are not thrown away', async () => {
  await using database = await createTestDatabase();
  const former = { ENCRYPTION_KEY: 'the first key, of 32 bytes or more' };
  await using before = await openFixture(database.url, former);
  const { id } = (await before.create({ name: 'keys', variables })).json();
  await using after = await startTestApi(database.url, {
    env: { ENCRYPTION_KEY: 'another key, of 32 bytes or more, too' },
  });
  const request = { method: 'PATCH', url: `/env-templates/${id}`, payload: {} } as const;
  expect(codeOf(await after.inject(before.ana, request))).toBe('409 conflict');
  expect(await before.open(id)).toEqual(variables);
});

interface Fixture extends AsyncDisposable {
  readonly api: TestApi;
  readonly ana: TestUser;
  readonly projectId: string;
  ask(
    method: 'DELETE' | 'GET' | 'PATCH',
    url: string,
    payload?: object,
  ): Promise<LightMyRequestResponse>;
  create(payload: object): Promise<LightMyRequestResponse>;
  /** Gives the values, as an agent would get them. */
  open(id: string): Promise<Record<string, string> | undefined>;
  /** Gives all that is stored of a template, as text. */
  dump(id: string): Promise<{ rows: string }>;
}

async function openFixture(databaseUrl?: string, env: NodeJS.ProcessEnv = {}): Promise<Fixture> {
  await using stack = new AsyncDisposableStack();
  const url = databaseUrl ?? stack.use(await createTestDatabase()).url;
  const api = stack.use(await startTestApi(url, { env }));
  const ana = await api.createUser();
  const projectId = await api.createProject(ana);
  const owned = stack.move();
  const templates = `/projects/${projectId}/env-templates`;
  return {
    api,
    ana,
    projectId,
    ask: (method, path, payload) =>
      api.inject(
        ana,
        Object.assign<InjectOptions, InjectOptions>(
          { method, url: path },
          payload ? { payload } : {},
        ),
      ),
    create: (payload) => api.inject(ana, { method: 'POST', url: templates, payload }),
    async open(id) {
      const template = await api.deps.envTemplates.readEnvTemplate(id);
      return template && api.deps.vault.open(template);
    },
    async dump(id) {
      const key = { id, userId: ana.id };
      const { nonce, ciphertext, ...row } = (await api.deps.envTemplates.findEnvTemplate(key)) ?? {
        nonce: Buffer.alloc(0),
        ciphertext: Buffer.alloc(0),
      };
      const bytes = Buffer.concat([nonce, ciphertext]);
      return {
        rows: `${JSON.stringify(row)} ${bytes.toString('latin1')} ${bytes.toString('hex')}`,
      };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function codeOf(answer: { statusCode: number; json(): { code?: string } }): string {
  return `${answer.statusCode} ${answer.json().code ?? ''}`;
}
