import { createConfig, lintFromString } from '@redocly/openapi-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../testing/api.ts';

interface Media {
  readonly example?: unknown;
}
interface Operation {
  readonly description?: string;
  readonly requestBody?: { readonly content: Record<string, Media> };
  readonly responses: Record<string, { readonly content?: Record<string, Media> }>;
}

let api: TestApi;
let text: string;
let operations: [string, Operation][];

beforeAll(async () => {
  const env = { API_DOCS: 'true' };
  api = await startTestApi('postgres://nobody@127.0.0.1:1/none', { env });
  const answer = await api.app.inject({ url: '/openapi.json' });
  if (answer.statusCode !== 200) throw new Error(answer.body);
  text = `${JSON.stringify(answer.json(), null, 2)}\n`;
  const paths: Record<string, Record<string, Operation>> = answer.json().paths;
  operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );
});

afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

test('docs/openapi.json says what the routes say (to write it again: npm test -- -u)', async () => {
  await expect(text).toMatchFileSnapshot('../../../../../docs/openapi.json');
});

test('the document is valid OpenAPI 3.1, by all rules of a linter, and its examples fit their schemas', async () => {
  const config = await createConfig({
    extends: ['recommended-strict'],
    rules: {
      // The licence is up to the operator of the service.
      'info-license': 'off',
      'no-invalid-schema-examples': 'error',
      'no-invalid-parameter-examples': 'error',
      'operation-operationId-unique': 'error',
      'operation-tag-defined': 'error',
      'tag-description': 'error',
    },
  });
  const faults = await lintFromString({ source: text, config });
  expect(
    faults.map(({ ruleId, message, location: [at] }) => [ruleId, message, at?.pointer]),
  ).toEqual([]);
});

test('every route that is not hidden is an operation', () => {
  const routes = api.routes.filter(({ method, schema }) => method !== 'HEAD' && !schema?.hide);
  const names = routes.map(
    ({ method, url }) => `${String(method)} ${url.replaceAll(/:(\w+)/g, '{$1}')}`,
  );
  expect(operations.map(([name]) => name).toSorted()).toEqual(names.toSorted());
});

test('every operation says more than its summary', () => {
  const bare = operations.filter(([, { description = '' }]) => description.length < 40);
  expect(bare.map(([name]) => name)).toEqual([]);
  expect(operations).toHaveLength(90);
});

test('every operation has an example of its body and of each success', () => {
  for (const [name, { requestBody, responses }] of operations) {
    const success = Object.entries(responses).filter(([status]) => status < '300');
    const contents = [requestBody, ...success.map(([, answer]) => answer)].map(
      (part) => part?.content,
    );
    for (const media of contents.flatMap((content) => Object.values(content ?? {}))) {
      expect([name, media.example]).toEqual([name, expect.anything()]);
    }
  }
});
