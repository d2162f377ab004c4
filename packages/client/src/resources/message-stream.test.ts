import { expect, test } from 'vitest';
import { events, problem, scriptedServer } from '../../testing/scripted-server.ts';
import { connect } from '../create-client.ts';
import { arrivingMessages } from './message-stream.ts';

const stored = (position: string, id: string) =>
  `id: ${position}\ndata: ${JSON.stringify({ id, content: `words of ${id}` })}\n\n`;
const opened = (position: string) => `retry: 1\nid: ${position}\n\n`;
const end = (reason: string) => `event: end\ndata: {"reason":"${reason}"}\n\n`;

test('a stream goes on behind the last position, also when nothing came yet, until there is nothing to read', async () => {
  await using server = await scriptedServer(
    events(opened('p0')),
    events(opened('p0'), stored('p1', 'a'), stored('p2', 'b'), end('reconnect')),
    problem(503, 'overloaded'),
    // A proxy that reloads its routes.
    (response) => response.writeHead(404).end('<html>Not found</html>'),
    events(opened('p2'), 'event: news\ndata: {}\n\n', end('token_expired')),
    events(opened('p2'), stored('p3', 'b'), end('not_found')),
  );
  const found = await Array.fromAsync(server.client().messages.stream('s', { since: 'p' }));
  expect(found).toEqual([
    { position: 'p1', message: { id: 'a', content: 'words of a' } },
    { position: 'p2', message: { id: 'b', content: 'words of b' } },
    { position: 'p3', message: { id: 'b', content: 'words of b' } },
  ]);
  expect(server.received.map(({ headers }) => headers['last-event-id'])).toEqual([
    undefined,
    'p0',
    'p2',
    'p2',
    'p2',
    'p2',
  ]);
  expect(server.received[0]?.url).toBe('/sessions/s/messages/stream?since=p');
});

test('a stream outlives a token source that fails for a while', async () => {
  await using server = await scriptedServer(
    events(opened('p0'), stored('p1', 'a'), end('token_expired')),
    events(opened('p1'), stored('p2', 'b'), end('not_found')),
  );
  let times = 0;
  const token = () => {
    times += 1;
    if (times === 2) throw new TypeError('fetch failed');
    return 'a-token';
  };
  const found = await Array.fromAsync(server.client({ token }).messages.stream('s'));
  expect(found.map(({ position }) => position)).toEqual(['p1', 'p2']);
});

test('after a restore the program is told that what it has may be gone', async () => {
  await using server = await scriptedServer(
    events(opened('p9'), 'event: reset\nid: p1\ndata: {}\n\n', stored('p2', 'b'), end('not_found')),
  );
  const found = await Array.fromAsync(server.client().messages.stream('s', { since: 'p9' }));
  expect(found).toEqual([
    { position: 'p1', message: null },
    { position: 'p2', message: { id: 'b', content: 'words of b' } },
  ]);
});

test('what the API refuses is thrown', async () => {
  await using server = await scriptedServer(problem(404, 'not_found'));
  await expect(server.client().messages.stream('s').next()).rejects.toMatchObject({
    code: 'not_found',
  });
});

test('one connection brings what is stored until it ends, and is not replaced', async () => {
  await using server = await scriptedServer(
    events(opened('p0'), stored('p1', 'a'), stored('p2', 'b')),
    events('event: reset\nid: p3\ndata: {}\n\n'),
    problem(503, 'overloaded'),
  );
  const transport = connect({ baseUrl: server.url, random: () => 0 });
  const { signal } = new AbortController();
  const read = async (since: string) =>
    (await Array.fromAsync(arrivingMessages(transport, 's', { since, signal }))).flat();
  expect(await read('p')).toEqual([
    { position: 'p1', message: { id: 'a', content: 'words of a' } },
    { position: 'p2', message: { id: 'b', content: 'words of b' } },
  ]);
  expect(await read('p2')).toEqual([{ position: 'p3', message: null }]);
  await expect(read('p3')).rejects.toMatchObject({ code: 'overloaded' });
  expect(server.received.map(({ url }) => url)).toEqual(
    ['p', 'p2', 'p3'].map((since) => `/sessions/s/messages/stream?since=${since}`),
  );
});
