import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { breakingChanges } from '../../../testing/breaking-changes.ts';

const docs = new URL('../../../../../docs/', import.meta.url);

/** Returns `parts` as a record of any names, so that a test can add and delete some. */
function named(parts: Record<string, object>): Record<string, object> {
  return parts;
}

/** Returns the document of a small API: a list with a query, and a body that creates a thing. */
function document() {
  const thing = {
    type: 'object',
    properties: named({
      id: { type: 'string' },
      size: { type: 'integer' },
      status: { type: 'string', enum: ['NEW', 'OLD'] },
    }),
    required: ['id', 'size', 'status'],
  };
  const body = {
    type: 'object',
    properties: named({
      name: { type: 'string', minLength: 1, maxLength: 100 },
      kind: { type: 'string', enum: ['a', 'b'] },
    }),
    required: ['name'],
    additionalProperties: false,
  };
  const parameters: object[] = [
    { name: 'q', in: 'query', schema: { type: 'string' } },
    { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 } },
  ];
  const $ref = '#/components/schemas/Thing';
  const answer = { description: 'a thing', content: { 'application/json': { schema: { $ref } } } };
  const requestBody = { required: true, content: { 'application/json': { schema: body } } };
  const responses: Record<string, object> = { 200: answer };
  const get = { parameters, responses, security: [] };
  const post = { requestBody, responses: { 201: answer } };
  return {
    openapi: '3.1.0',
    info: { title: 'things', version: '1' },
    paths: named({ '/things': { get, post } }),
    components: { schemas: { Thing: thing } },
    parts: { thing, body, get, post, parameters },
  };
}

type Change = (
  parts: ReturnType<typeof document>['parts'],
  all: ReturnType<typeof document>,
) => void;

const breaking: [string, RegExp, Change][] = [
  ['a path goes', /GET \/things: gone/, (_, { paths }) => delete paths['/things']],
  [
    'a field of an answer goes',
    /GET .*200\.size: gone/,
    ({ thing }) => delete thing.properties['size'],
  ],
  [
    'a field of an answer may be missing',
    /required.*gone: "status"/,
    ({ thing }) => thing.required.pop(),
  ],
  [
    'a field of an answer may be null',
    /size\.type/,
    ({ thing }) => {
      thing.properties['size'] = { type: ['integer', 'null'] };
    },
  ],
  [
    'a field of an answer has another type',
    /size\.type: was "integer", is "string"/,
    ({ thing }) => {
      thing.properties['size'] = { type: 'string' };
    },
  ],
  [
    'an answer has another status',
    /responses\.200: gone/,
    ({ get }) => {
      get.responses = { 202: Object(get.responses)[200] };
    },
  ],
  [
    'a body needs one more field',
    /color: new/,
    ({ body }) => {
      body.properties['color'] = { type: 'string' };
      body.required.push('color');
    },
  ],
  ['a body knows a field no more', /kind: gone/, ({ body }) => delete body.properties['kind']],
  [
    'a field of a body takes fewer values',
    /kind\.enum/,
    ({ body }) => {
      body.properties['kind'] = { type: 'string', enum: ['a'] };
    },
  ],
  [
    'a field of a body may be shorter only',
    /POST \/things, requestBody\.name\.maxLength: was 100, is 50/,
    ({ body }) => {
      body.properties['name'] = { type: 'string', minLength: 1, maxLength: 50 };
    },
  ],
  ['a parameter goes', /parameters\.q: gone/, ({ parameters }) => parameters.shift()],
  [
    'a parameter is needed',
    /parameters\.color: new/,
    ({ parameters }) => {
      parameters.push({ name: 'color', in: 'query', required: true, schema: { type: 'string' } });
    },
  ],
  [
    'a parameter takes less',
    /parameters\.limit\.maximum: was 100, is 50/,
    ({ parameters }) => {
      parameters[1] = { name: 'limit', in: 'query', schema: { type: 'integer', maximum: 50 } };
    },
  ],
  [
    'a token is needed',
    /security/,
    ({ get }) => Object.assign(get, { security: [{ bearer: [] }] }),
  ],
];

const additive: [string, Change][] = [
  [
    'an answer has one more field',
    ({ thing }) => {
      thing.properties['color'] = { type: 'string' };
      thing.required.push('color');
    },
  ],
  [
    'an enumeration of an answer grows',
    ({ thing }) => {
      thing.properties['status'] = { type: 'string', enum: ['NEW', 'OLD', 'GONE'] };
    },
  ],
  [
    'a body may have one more field',
    ({ body }) => {
      body.properties['color'] = { type: 'string' };
    },
  ],
  [
    'a field of a body takes more',
    ({ body }) => {
      body.properties['kind'] = { type: 'string', enum: ['a', 'b', 'c'] };
      body.properties['name'] = { type: ['string', 'null'], minLength: 1, maxLength: 200 };
    },
  ],
  [
    'there is one more parameter, and in another order',
    ({ parameters }) => {
      parameters.unshift({ name: 'color', in: 'query', schema: { type: 'string' } });
    },
  ],
  [
    'there is one more path and status',
    ({ get }, { paths }) => {
      paths['/others'] = { get };
      get.responses['404'] = { description: 'none' };
    },
  ],
  ['it is described in other words', ({ get }) => Object.assign(get, { summary: 'All things' })],
];

test.each(breaking)('breaking: %s', (_name, sentence, change) => {
  expect(after(change).join('\n')).toMatch(sentence);
});

test.each(additive)('not breaking: %s', (_name, change) => {
  expect(after(change)).toEqual([]);
});

/** The beginnings of the sentences for intended changes, which `CHANGELOG.md` names too. A release empties the list. */
const INTENDED = [
  // Limits of an account are a 409, because a repetition after some time would change nothing.
  'POST /sessions/{sessionId}/agents, responses.429: gone',
  // These fields were ignored. Now they name the end user of a customer.
  'POST /sessions/{id}/token, requestBody.anyOf.0.participant_',
];

test('docs/openapi.json breaks nothing of docs/openapi.released.json (meant to? CONTRIBUTING, Changing the API)', async () => {
  const [released, current] = await Promise.all(
    ['openapi.released.json', 'openapi.json'].map(
      async (name): Promise<object> => JSON.parse(await readFile(new URL(name, docs), 'utf8')),
    ),
  );
  const changes = breakingChanges(Object(released), Object(current));
  expect(changes.filter((change) => !INTENDED.some((start) => change.startsWith(start)))).toEqual(
    [],
  );
});

function after(change: Change): string[] {
  const changed = document();
  change(changed.parts, changed);
  const [{ parts: _before, ...before }, { parts: _after, ...next }] = [document(), changed];
  return breakingChanges(before, next);
}
