import type { LookupFunction } from 'node:net';
import { expect, test } from 'vitest';
import { longestBlockMs } from '../../../testing/longest-block.ts';
import { begin, fails, type Reply, startScriptedModel } from '../../../testing/scripted-model.ts';
import { book, findRooms, openToolBox, TOOL_KEY, toolVariables } from '../../../testing/tools.ts';

const answers = (body: string, type = 'application/json'): Reply =>
  fails(200, body, { 'content-type': type });

const REDIRECTS =
  'The server redirects, which is not followed. The call may have been carried out.';

const KEYED = { headers: { Authorization: 'Bearer {{env.HOTEL_KEY}}' } };

const knowsNothing: LookupFunction = (_host, _options, callback) =>
  callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '');

async function call(
  reply: Reply,
  {
    request = {},
    args = { day: '2026-12-01' },
    timeoutMs = 10_000,
    tool: makeTool = findRooms,
  } = {},
) {
  await using server = await startScriptedModel(reply);
  const tool = makeTool(server.port, { request, timeoutMs });
  await using box = await openToolBox(toolVariables(tool));
  const known = box.toolOf(tool.name);
  if (!known) throw new Error('no such tool');
  const result = await known.send(args);
  return { result, requests: [...server.requests] };
}

test('arguments go into the path, the query and the body', async () => {
  const args = { day: '1/2 ä?', guests: 2 };
  const get = await call(answers('{"rooms":2}'), { args });
  expect(get.result).toMatchObject({
    state: 'done',
    status: 200,
    text: '{"rooms":2}',
    isCut: false,
  });
  expect(get.requests[0]?.path).toBe('/rooms/1%2F2%20%C3%A4%3F?guests=2');
  const post = await call(answers('{}'), { args, tool: book });
  expect(post.requests[0]).toMatchObject({ method: 'POST', path: '/book', body: args });
});

test.for(['..', '.', ''])('an argument %j names no other resource', async (day) => {
  const { result, requests } = await call(answers('{}'), { args: { day } });
  expect(result).toMatchObject({ state: 'failed', isFault: false });
  expect(requests).toEqual([]);
});

test('an argument that is percent-encoded already is encoded once more', async () => {
  const { requests } = await call(answers('{}'), { args: { day: '%2e%2e' } });
  expect(requests.map(({ path }) => path)).toEqual(['/rooms/%252e%252e']);
});

test('a secret goes to its host, and comes back masked in every form', async () => {
  const json = JSON.stringify({ key: TOOL_KEY });
  const base64 = Buffer.from(`Bearer ${TOOL_KEY}`).toString('base64');
  const url = encodeURIComponent(TOOL_KEY);
  const { result, requests } = await call(answers(`${TOOL_KEY} ${json} ${base64} ${url}`), {
    request: KEYED,
  });
  expect(requests[0]?.headers.authorization).toBe(`Bearer ${TOOL_KEY}`);
  expect(result.text).not.toContain('s3cret');
  expect(result.text).not.toContain(base64.slice(16, 32));
  expect(result.text).not.toContain(url);
  expect(result.text).toContain('••••');
});

test('no redirect leaves the origin, and a GET follows one within it', async () => {
  await using other = await startScriptedModel(answers('stolen'));
  for (const status of [301, 302, 303, 307, 308]) {
    const location = `http://127.0.0.1:${other.port}/`;
    const { result } = await call(fails(status, '', { location }), { request: KEYED });
    expect(result).toMatchObject({ state: 'failed', status, isFault: true, text: REDIRECTS });
  }
  expect(other.requests).toEqual([]);
  await using server = await startScriptedModel(
    fails(302, '', { location: '/new' }),
    answers('here'),
  );
  const tool = findRooms(server.port);
  await using box = await openToolBox(toolVariables(tool));
  const known = box.toolOf('find_rooms');
  expect(known && (await known.send({ day: 'x' })).text).toBe('here');
});

test.for<[string, number, string, number]>([
  ['that would make it a GET', 301, '/new', 1],
  ['that would make it a GET', 302, '/new', 1],
  ['that would make it a GET', 303, '/new', 1],
  ['to another host', 307, 'http://127.0.0.1:9/', 1],
  ['to another host', 308, 'http://127.0.0.1:9/', 1],
  ['in a circle', 307, '/book', 4],
])('a POST follows no redirect %s (%i), and may have been carried out', async (row) => {
  const [, status, location, count] = row;
  const { result, requests } = await call(fails(status, '', { location }), { tool: book });
  expect(result).toMatchObject({ state: 'failed', status, text: REDIRECTS });
  expect(requests).toHaveLength(count);
});

test('an error of the server is data, one of the connection is our own sentence', async () => {
  const { result } = await call(fails(404, '{"error":"no such day"}'));
  expect(result).toMatchObject({
    state: 'failed',
    status: 404,
    text: '{"error":"no such day"}',
    isFault: false,
  });
  const cut = await call((response) => void response.destroy());
  expect(cut.result).toMatchObject({ state: 'failed', isFault: true });
  expect(cut.result.text).toBe('The connection failed. The call may have been carried out.');
});

test.for([
  ['POST', book, 'The call may have been carried out. no answer'],
  ['GET', findRooms, 'no answer'],
] as const)('what the model reads of a %s that ends with 504', async ([, tool, text]) => {
  const { result } = await call(fails(504, 'no answer'), { tool });
  expect(result).toMatchObject({ state: 'failed', status: 504, text, isFault: true });
});

test.for(['http://127.0.0.1:9/', 'http://no-such-host.invalid/'])(
  'the model is not told that a call to %s may have been carried out',
  async (url) => {
    const tool = book(1, { request: { url } });
    const variables = { ...toolVariables(tool), AGENT_TOOL_NETWORKS: '0.0.0.0/0' };
    await using box = await openToolBox(variables, { lookup: knowsNothing });
    expect(await box.toolOf('book')?.send({ day: 'x' })).toMatchObject({
      state: 'failed',
      text: 'Not called: the server cannot be reached.',
      isFault: true,
    });
  },
);

test('a slow server is not waited for longer than the tool says', async () => {
  const { result, requests } = await call((response) => begin(response), { timeoutMs: 1000 });
  expect(result).toMatchObject({ state: 'timeout', isFault: true });
  await expect.poll(() => requests[0]?.gone.aborted).toBe(true);
});

test('of a huge answer 256 KiB are read, and the model gets 8 KiB', async () => {
  const { result, requests } = await call((response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    // A buffer, because for a string Node compares a count of bytes with one of characters, and may never emit `drain`.
    const part = Buffer.from('é'.repeat(50_000));
    const write = () => {
      while (!response.destroyed && response.write(part));
    };
    response.on('drain', write);
    write();
  });
  expect(result).toMatchObject({ state: 'done', isCut: true, text: 'é'.repeat(4096) });
  await expect.poll(() => requests[0]?.gone.aborted).toBe(true);
});

test.for(['image/png', 'application/octet-stream'])(
  'an answer of the type %s is not read',
  async (type) => {
    expect((await call(answers('x', type))).result.text).toBe('The answer is not a text.');
  },
);

test.for([
  ['brackets', '['.repeat(262_144)],
  ['beginnings of a secret', `${TOOL_KEY.slice(0, -1)} `.repeat(12_000)],
  ['backslashes', '\\'.repeat(262_144)],
])('an answer of %s blocks for less than 100 ms', async ([, body]) => {
  const callOnce = async () => void (await call(answers(body ?? ''), { request: KEYED }));
  expect(await longestBlockMs(callOnce)).toBeLessThan(100);
});
