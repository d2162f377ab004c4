import { expect, test } from 'vitest';
import { StartError } from './errors.ts';
import { serveInternally } from './internal-server.ts';

const address = { host: '127.0.0.1', port: 0 };

test('what is there to a GET, 404 for all else, 500 without a reason for what fails', async () => {
  await using server = await serveInternally(address, {
    '/here': () => ({ status: 200, contentType: 'text/plain', body: 'here' }),
    '/failing': async () => {
      throw new Error('hunter2');
    },
  });
  const ask = async (path: string, method = 'GET') => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
    return [response.status, await response.text()];
  };
  expect(await ask('/here?now')).toEqual([200, 'here']);
  expect(await ask('/here', 'POST')).toEqual([404, '{"status":"unknown"}']);
  expect(await ask('/toString')).toEqual([404, '{"status":"unknown"}']);
  expect(await ask('/failing')).toEqual([500, '{"status":"failed"}']);
});

test('a POST gets what came with it, up to 1 MiB', async () => {
  await using server = await serveInternally(address, {
    'POST /there': ({ headers, body }) => ({
      status: 200,
      contentType: 'text/plain',
      body: `${headers.authorization} ${body}`,
    }),
  });
  const post = async (body: string) => {
    const headers = { authorization: 'me' };
    const url = `http://127.0.0.1:${server.port}/there`;
    const response = await fetch(url, { method: 'POST', headers, body });
    return [response.status, await response.text()];
  };
  expect(await post('\u00e9')).toEqual([200, 'me \u00e9']);
  expect((await fetch(`http://127.0.0.1:${server.port}/there`)).status).toBe(404);
  expect(await post('x'.repeat(1_048_577))).toEqual([413, '{"status":"too large"}']);
});

test('a sentence when the port is taken', async () => {
  await using server = await serveInternally(address, {});
  const taken = { ...address, port: server.port };
  await expect(serveInternally(taken, {})).rejects.toThrow(StartError);
});
