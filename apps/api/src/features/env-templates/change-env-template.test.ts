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
