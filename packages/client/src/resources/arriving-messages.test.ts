import { expect, test } from 'vitest';
import { events, problem, scriptedServer } from '../../testing/scripted-server.ts';
import { connect } from '../create-client.ts';
import { arrivingMessages } from './arriving-messages.ts';

const stored = (position: string, id: string) =>
  `id: ${position}\ndata: ${JSON.stringify({ id })}\n\n`;

test('one connection brings what is stored until it ends, and is not replaced', async () => {
  await using server = await scriptedServer(
    events(`retry: 1\nid: p0\n\n`, stored('p1', 'a'), stored('p2', 'b')),
    events('event: reset\nid: p3\ndata: {}\n\n'),
    problem(503, 'overloaded'),
  );
  const transport = connect({ baseUrl: server.url, random: () => 0 });
  const { signal } = new AbortController();
  const read = async (since: string) =>
    (await Array.fromAsync(arrivingMessages(transport, 's', { since, signal }))).flat();
  expect(await read('p')).toEqual([
    { position: 'p1', message: { id: 'a' } },
    { position: 'p2', message: { id: 'b' } },
  ]);
  expect(await read('p2')).toEqual([{ position: 'p3', message: null }]);
  await expect(read('p3')).rejects.toMatchObject({ code: 'overloaded' });
  expect(server.received.map(({ url }) => url)).toEqual(
    ['p', 'p2', 'p3'].map((since) => `/sessions/s/messages/stream?since=${since}`),
  );
});
