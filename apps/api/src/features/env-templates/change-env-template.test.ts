import { expect } from 'vitest';
import { startTestApi } from '../../../testing/api.ts';
import { codeOf, envTemplateTest as test, VARIABLES } from '../../../testing/env-templates.ts';

test('200 for a change, which is merged: null removes a variable, and variables that are not named stay', async ({
  templates,
}) => {
  const { id } = (await templates.create({ name: 'keys', variables: VARIABLES })).json();
  const change = { name: 'others', variables: { TTS_API_KEY: null, STT_PROVIDER: 'x' } };
  const changed = await templates.change(id, change);
  expect([changed.statusCode, changed.json()]).toMatchObject([
    200,
    { name: 'others', keys: ['LLM_API_KEY', 'STT_PROVIDER'], version: 2 },
  ]);
  expect(await templates.open(id)).toEqual({
    LLM_API_KEY: VARIABLES.LLM_API_KEY,
    STT_PROVIDER: 'x',
  });
});

test('200 for a change to what the template is already: its version, time and ETag stay', async ({
  templates,
}) => {
  const hosts = { LLM_API_KEY: ['api.example'] };
  const created = await templates.create({ name: 'keys', variables: VARIABLES, hosts });
  const { id } = created.json();
  const same = { name: 'keys', variables: { ...VARIABLES, ABSENT: null }, hosts, isDefault: false };
  for (const change of [{}, same]) {
    const answer = await templates.change(id, change);
    expect([answer.statusCode, answer.json()]).toEqual([200, created.json()]);
    expect(answer.headers.etag).toBe('"1"');
  }
  expect((await templates.change(id, { variables: { ABSENT: 'x' } })).json().version).toBe(2);
});

test('changes at the same moment are all kept', async ({ templates }) => {
  const { id } = (await templates.create({ name: 'keys', variables: VARIABLES })).json();
  const names = ['A', 'B', 'C', 'D', 'E', 'F'];
  const answers = await Promise.all(
    names.map((name) => templates.change(id, { variables: { [name]: name } })),
  );
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(names.map(() => 200));
  const added = Object.fromEntries(names.map((name) => [name, name]));
  expect(await templates.open(id)).toEqual({ ...VARIABLES, ...added });
});

const configuredTest = test.extend('options', () => ({
  env: { ENCRYPTION_KEY: 'the first key, of 32 bytes or more' },
}));

configuredTest(
  '409 for a change when the key is lost: the values cannot be merged, and are not deleted',
  async ({ database, ana, templates }) => {
    const { id } = (await templates.create({ name: 'keys', variables: VARIABLES })).json();
    await using after = await startTestApi(database.url, {
      env: { ENCRYPTION_KEY: 'another key, of 32 bytes or more, too' },
    });
    const request = { method: 'PATCH', url: `/env-templates/${id}`, payload: {} } as const;
    expect(codeOf(await after.inject(ana, request))).toBe('409 conflict');
    expect(await templates.open(id)).toEqual(VARIABLES);
  },
);

test('a change after a change by another request keeps both, and each raises the version', async ({
  templates,
}) => {
  const { id } = (await templates.create({ name: 'keys', variables: VARIABLES })).json();
  await templates.change(id, { isDefault: true });
  const changed = (await templates.change(id, { name: 'others' })).json();
  expect(changed).toMatchObject({ name: 'others', isDefault: true, version: 3 });
});

test('hosts are read back, kept with a new value, and dropped with their variable', async ({
  templates,
}) => {
  const hosts = { HOTEL_KEY: ['api.hotel.example', 'api.hotel.example:8443'] };
  const variables = { LLM_API_KEY: 'key', HOTEL_KEY: 'hotel' };
  const created = await templates.create({ name: 'Hotel', variables, hosts });
  expect(created.json()).toMatchObject({ hosts });
  const { id } = created.json();
  const change = async (payload: object) => (await templates.change(id, payload)).json();
  expect(await change({ variables: { HOTEL_KEY: 'new' } })).toMatchObject({ hosts });
  const other = { HOTEL_KEY: ['other.example'] };
  expect(await change({ variables: { HOTEL_KEY: 'newer' }, hosts: other })).toMatchObject({
    hosts: other,
  });
  expect(await change({ variables: { HOTEL_KEY: null } })).toMatchObject({ hosts: {} });
});

test('400 for new hosts without the value: who cannot read a key sends it nowhere else', async ({
  templates,
}) => {
  const hosts = { HOTEL_KEY: ['a.example', 'b.example'] };
  const variables = { LLM_API_KEY: 'key', HOTEL_KEY: 'hotel' };
  const { id } = (await templates.create({ name: 'Hotel', variables, hosts })).json();
  for (const change of [
    { hosts: { HOTEL_KEY: ['evil.example'] } },
    { hosts: { HOTEL_KEY: ['a.example', 'evil.example'] } },
    { hosts: { LLM_API_KEY: ['evil.example'] } },
    { hosts: { HOTEL_KEY: ['evil.example'] }, variables: { LLM_API_KEY: 'other' } },
    { hosts: { UNKNOWN: ['evil.example'] } },
    { hosts: { HOTEL_KEY: ['Upper.example'] }, variables: { HOTEL_KEY: 'x' } },
    { hosts: { HOTEL_KEY: ['https://a.example/'] }, variables: { HOTEL_KEY: 'x' } },
  ]) {
    expect([change, (await templates.change(id, change)).statusCode]).toEqual([change, 400]);
  }
  expect((await templates.find(id)).json()).toMatchObject({ hosts, version: 1 });
  const fewer = await templates.change(id, { hosts: { HOTEL_KEY: ['b.example'] } });
  expect(fewer.json()).toMatchObject({ hosts: { HOTEL_KEY: ['b.example'] } });
  const none = await templates.change(id, { hosts: { HOTEL_KEY: null } });
  expect(none.json()).toMatchObject({ hosts: {} });
  const back = await templates.change(id, { hosts: { HOTEL_KEY: ['b.example'] } });
  expect(back.statusCode).toBe(400);
});

test('400 for hosts of a variable that a new template does not have', async ({ templates }) => {
  const hosts = { HOTEL_KEY: ['a.example'] };
  const answer = await templates.create({ name: 'Hotel', variables: { LLM_API_KEY: 'k' }, hosts });
  expect([answer.statusCode, answer.json().errors?.[0]?.path]).toEqual([
    400,
    'body.hosts.HOTEL_KEY',
  ]);
});
