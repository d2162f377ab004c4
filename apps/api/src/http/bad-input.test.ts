import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Problem } from '@session/contract';
import { createTestDatabase } from '@session/testing';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi, type TestUser, UNREACHABLE } from '../../testing/api.ts';

/** An id that no object has. */
const UNKNOWN_ID = '01890a5d-ac96-774b-bcce-b302099a8057';
const signup = { email: 'ana@example.org', password: 'correct horse', name: 'Ana' };
const bodies: [string, Record<string, string>][] = [
  ['/auth/signup', signup],
  ['/auth/login', { email: signup.email, password: signup.password }],
  ['/auth/password', { current: signup.password, new: 'battery staple' }],
  ['/projects', { name: 'first' }],
  [`/projects/${UNKNOWN_ID}/members`, { email: signup.email, role: 'MEMBER' }],
  [`/projects/${UNKNOWN_ID}/sessions`, { name: 'first' }],
  [`/sessions/${UNKNOWN_ID}/messages`, { content: 'hello', id: UNKNOWN_ID }],
  [`/sessions/${UNKNOWN_ID}/token`, {}],
  [`/sessions/${UNKNOWN_ID}/close`, {}],
];

const json = { 'content-type': 'application/json' };
const badBodies: [string, string][] = [
  ['nothing', ''],
  ['no JSON', '{"name":'],
  ['JSON of NUL bytes', '\0\0\0'],
  ['null', 'null'],
  ['a list', '[]'],
  ['a text', '"name"'],
  ['an empty object', '{}'],
  ['a prototype', '{"__proto__":{"name":"first"}}'],
  ['a constructor', '{"constructor":{"prototype":{"name":"first"}}}'],
  ['a deep one', '['.repeat(100_000) + ']'.repeat(100_000)],
  ['a huge one', JSON.stringify({ name: 'x'.repeat(1_048_576) })],
];
const badValues: [string, unknown][] = [
  ['null', null],
  ['a number', 7],
  ['true', true],
  ['a list', ['a']],
  ['an object', { a: 'b' }],
  ['an empty text', ''],
  ['blanks', '   '],
  ['NUL', 'ana\0@example.org'],
  ['a long text', 'x'.repeat(100_000)],
];
const crowds: [string, string, object][] = [
  [
    'names that are not valid',
    '/sessions',
    { name: 'first', metadata: fieldsOf(100_000, '[', '') },
  ],
  ['values that are not valid', '/sessions', { name: 'first', metadata: fieldsOf(131_000, '', 0) }],
  [
    'lists of values that are not valid',
    '/agent-templates',
    { name: 'first', role: 'light-agent', tools: [{ parameters: listsOfNumbers() }] },
  ],
  [
    'a name that is an e-mail address',
    '/sessions',
    { name: 'first', metadata: { '[ana@example.org]': '' } },
  ],
];
const badUrls = [
  '/projects?limit=0',
  '/projects?limit=101',
  '/projects?limit=-1',
  '/projects?limit=1.5',
  '/projects?limit=many',
  '/projects?limit=',
  '/projects?limit=1&limit=2',
  '/projects?limit=1e99',
  '/projects?limit=1e1',
  '/projects?limit=0x10',
  '/projects?limit=%2010',
  '/projects?limit=10%20',
  '/projects?limit=%2B10',
  '/projects?limit=10.0',
  '/projects?cursor=1',
  '/projects?cursor=',
  '/projects?cursor=%00',
  '/projects?cursor=a&cursor=b',
  '/projects/1',
  '/projects/%00',
  '/projects/%ff',
  '/projects/%zz',
  "/projects/'%20or%20true",
  '/projects/01890a5d-ac96-774b-bcce-b302099a805',
  '/projects/01890a5d-ac96-774b-bcce-b302099a80570',
  '/projects/%7B01890a5d-ac96-774b-bcce-b302099a8057%7D',
  `/projects/${'a'.repeat(5000)}`,
  `/projects/${UNKNOWN_ID}/members?limit=0`,
  `/projects/${UNKNOWN_ID}/members?cursor=1`,
  `/projects/${UNKNOWN_ID}/sessions?status=OPEN`,
  `/projects/${UNKNOWN_ID}/sessions?status=ACTIVE&status=CLOSED`,
  '/sessions/1',
  '/sessions/%00/messages',
  `/sessions/${UNKNOWN_ID}/messages?cursor=1`,
  `/sessions/${UNKNOWN_ID}/messages?limit=0`,
  `/sessions/${UNKNOWN_ID}/messages?limit=101`,
  `/sessions/${UNKNOWN_ID}/messages/latest`,
  `/sessions/${UNKNOWN_ID}/messages/latest?since=yesterday`,
  `/sessions/${UNKNOWN_ID}/messages/latest?since=0000-01-01T00:00:00%2B14:00`,
  `/sessions/${UNKNOWN_ID}/messages/latest?since=9999-12-31T23:59:59-14:00`,
  `/sessions/${UNKNOWN_ID}/state?asOf=yesterday`,
  `/sessions/${UNKNOWN_ID}/state?asOf=2026-11-21T08:00:00Z&asOf=2026-11-21T08:00:00Z`,
];

let owned: AsyncDisposable;
let api: TestApi;
let ana: TestUser;

beforeAll(async () => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createTestDatabase());
  api = stack.use(await startTestApi(database.url));
  ana = await api.createUser();
  owned = stack.move();
});

afterAll(async () => {
  await owned[Symbol.asyncDispose]();
});

test.each(bodies)('4xx for every bad body of POST %s', async (url, good) => {
  const requests = badBodies.map(([name, payload]) => ({ name, payload, headers: json }));
  const changed = (name: string, change: object) => ({
    name,
    payload: JSON.stringify({ ...good, ...change }),
    headers: json,
  });
  for (const field of Object.keys(good)) {
    requests.push(changed(`no ${field}`, { [field]: undefined }));
    for (const [name, value] of badValues) {
      requests.push(changed(`${field} is ${name}`, { [field]: value }));
    }
  }
  requests.push(changed('an unknown field', { id: 'mine' }), changed('a NUL', { 'a\0': 'b' }));
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', '']) {
    requests.push({ ...changed(type, {}), headers: { 'content-type': type } });
  }
  for (const { name, ...request } of requests) {
    expect([name, await answerTo({ method: 'POST', url, ...request })]).toEqual([name, 'refused']);
  }
});

test.each(badUrls)('4xx for %s', async (url) => {
  expect(await answerTo({ url })).toBe('refused');
});

test.each(['ana', 'ana@', '@example.org', 'a b@example.org', 'ana@example.org\n.com'])(
  '4xx for the e-mail address %s',
  async (email) => {
    const payload = { ...signup, email };
    expect(await answerTo({ method: 'POST', url: '/auth/signup', payload })).toBe('refused');
  },
);

test.each(crowds)('4xx for %s, and a short line without them in the log', async (_, path, body) => {
  const payload = JSON.stringify(body);
  expect(payload.length).toBeLessThan(1_048_576);
  const logStream = new PassThrough();
  const logged = text(logStream);
  {
    await using own = await startTestApi(UNREACHABLE, { logStream });
    const token = own.app.jwt.sign({ sub: UNKNOWN_ID });
    const url = `/projects/${UNKNOWN_ID}${path}`;
    const request: InjectOptions = { method: 'POST', url, payload, headers: json };
    expect((await own.inject({ ...ana, token }, request)).statusCode).toBe(400);
  }
  logStream.end();
  const lines = (await logged).split('\n').filter((line) => line.includes('request refused'));
  expect(lines).toHaveLength(1);
  expect(lines[0]?.length).toBeLessThan(4096);
  expect(lines[0]).not.toContain('@');
});

/** Returns an object with `count` fields, whose names begin with `prefix` and are as short as possible. */
function fieldsOf(count: number, prefix: string, value: unknown): Record<string, unknown> {
  const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$';
  const letter = (place: number) => letters.charAt(Math.floor(place) % letters.length);
  const nameOf = (n: number) =>
    `${prefix}${letter(n)}${letter(n / letters.length)}${letter(n / letters.length ** 2)}`;
  return Object.fromEntries(Array.from({ length: count }, (__, n) => [nameOf(n), value]));
}

function listsOfNumbers(): object {
  const names = Object.keys(fieldsOf(4000, '', 0));
  const faulty = { type: 'string', enum: Array.from({ length: 100 }, () => 0) };
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, faulty])) };
}

/** Returns `refused` for a problem with a 4xx status and a code, or else the status and the body of the answer. */
async function answerTo(request: InjectOptions): Promise<string> {
  const { statusCode, headers, body } = await api.inject(ana, request);
  const isProblem = String(headers['content-type']).startsWith('application/problem+json');
  const { data } = Problem.safeParse(JSON.parse(body));
  const isRefused = statusCode >= 400 && statusCode < 500 && data?.status === statusCode;
  return isProblem && isRefused && data.code ? 'refused' : `${statusCode} ${body}`;
}
