import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { apiTestWithoutDatabase as test } from '../../../testing/api-test.ts';

test('200 with the name and the version of the service, without a token and without a database', async ({
  api,
}) => {
  const manifest = await readFile(new URL('../../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(manifest);
  const answer = await api.app.inject({ url: '/' });
  expect([answer.statusCode, answer.json()]).toEqual([
    200,
    { name: 'Conversation Session Service', version, documentation: null },
  ]);
});

const configuredTest = test.extend('options', () => ({ env: { API_DOCS: 'true' } }));

configuredTest('200 with the path of the documentation where it is served', async ({ api }) => {
  const { documentation } = (await api.app.inject({ url: '/' })).json();
  expect(documentation).toBe('/docs');
  const { headers } = await api.app.inject({ url: documentation });
  expect(headers.location).toBe('/docs/');
  expect((await api.app.inject({ url: '/docs/' })).statusCode).toBe(200);
});
