import { expect, test } from 'vitest';
import { serve } from '../serve.ts';
import { type Document, fuzz } from './index.ts';

const thing = { schema: { $ref: '#/components/schemas/Thing' } };
const problem = { schema: { $ref: '#/components/schemas/Problem' } };
const body = { type: 'object', properties: { name: { type: 'string' } } };

const document: Document = {
  paths: {
    '/things': {
      post: {
        operationId: 'makeThing',
        requestBody: { content: { 'application/json': { schema: body, example: { name: 'a' } } } },
        responses: { 201: { content: { 'application/json': thing }, headers: { location: {} } } },
      },
    },
    '/things/{id}': {
      get: {
        operationId: 'getThing',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        security: [{ bearer: [] }],
        responses: {
          200: { content: { 'application/json': thing } },
          401: { content: { 'application/problem+json': { ...problem, examples: { who: {} } } } },
          404: { content: { 'application/problem+json': { ...problem, examples: { none: {} } } } },
        },
      },
    },
  },
  components: {
    schemas: {
      Thing: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
      Problem: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] },
    },
  },
};

interface PlannedAnswer {
  status: number;
  body: Record<string, unknown>;
  headers: Record<string, string>;
}
/** Plants a fault in an answer. */
type Plant = (answer: PlannedAnswer) => void;

const plants: [string, RegExp, Plant][] = [
  [
    'a 500 for a thing that is there',
    /getThing: 500\n {2}curl -i -X GET 'http:\/\/.*\/things\/made'/,
    (answer) => {
      if (answer.status === 200) Object.assign(answer, { status: 500, body: { code: 'internal' } });
    },
  ],
  [
    'a field that is missing',
    /not as documented: data must have required property 'id'/,
    (answer) => {
      if (answer.status === 200) answer.body = {};
    },
  ],
  [
    'a status that is not documented',
    /the status 409 is not documented/,
    (answer) => {
      if (answer.status === 404) answer.status = 409;
    },
  ],
  [
    'a code that is not documented',
    /the code lost of 404 is not documented/,
    (answer) => {
      if (answer.status === 404) answer.body = { code: 'lost' };
    },
  ],
  [
    'a header that is missing',
    /201 without the header location/,
    (answer) => {
      delete answer.headers['location'];
    },
  ],
  [
    'an answer without a token',
    /404 without a valid token/,
    (answer) => {
      if (answer.status === 401) answer.status = 404;
    },
  ],
  [
    'an SQL statement in an answer',
    /404 that reveals internals/,
    (answer) => {
      if (answer.status === 404) answer.body['title'] = 'select id from things';
    },
  ],
];

test('no fault in an API that keeps to its document; created objects are requested; a seed repeats its run', async () => {
  await using api = await openApi();
  const options = { document, url: api.url, token: 'right', seed: 7, requests: 300 };
  const report = await fuzz(options);
  expect(report).toMatchObject({ sent: 300, faults: [], succeeded: ['getThing', 'makeThing'] });
  expect(await fuzz(options)).toEqual(report);
});

test.each(plants)('%s is found, with the seed and a shell command', async (_name, fault, plant) => {
  await using api = await openApi(plant);
  const options = { document, url: api.url, token: 'right', seed: 7, requests: 300 };
  const { faults } = await fuzz(options);
  expect(faults[0]).toMatch(fault);
  expect(faults[0]).toMatch(/^seed 7, request \d+, /);
});

/** Starts an API that answers as documented, except for the planted fault. */
async function openApi(plant: Plant = () => {}): Promise<{ url: string } & AsyncDisposable> {
  return await serve((request, response) => {
    request.resume();
    const [path = ''] = request.url?.split('?') ?? [];
    const answer = answerTo(request.method ?? '', path, request.headers.authorization);
    plant(answer);
    const { status, headers } = answer;
    const isProblem = status >= 400;
    const type = isProblem ? 'application/problem+json' : 'application/json';
    const problemFields = isProblem && { status, requestId: 'r', detail: 'Try again.' };
    response.writeHead(status, { 'content-type': type, 'x-request-id': 'r', ...headers });
    response.end(JSON.stringify({ ...answer.body, ...problemFields }));
  });
}

function answerTo(method: string, path: string, authorization: string | undefined): PlannedAnswer {
  const created = { body: { id: 'made' }, headers: {} };
  if (path === '/things' && method === 'POST') {
    return { ...created, status: 201, headers: { location: '/things/made' } };
  }
  if (path !== '/things' && authorization !== 'Bearer right') {
    return { status: 401, body: { code: 'who' }, headers: {} };
  }
  if (path === '/things/made' && method === 'GET') return { ...created, status: 200 };
  return { status: 404, body: { code: 'none' }, headers: {} };
}
