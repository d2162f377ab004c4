import { expect, test } from 'vitest';
import { json, lost, problem, scriptedServer } from '../../testing/scripted-server.ts';

/** Returns pages with five projects, two on each page. */
function pages() {
  return [
    json({ items: [{ id: '1' }, { id: '2' }], nextCursor: '2' }),
    json({ items: [{ id: '3' }, { id: '4' }], nextCursor: '4' }),
    json({ items: [{ id: '5' }], nextCursor: null }),
  ];
}

test('an awaited list is its first page, with one request', async () => {
  await using server = await scriptedServer(...pages());
  const page = await server.client().projects.list({ limit: 2 });
  expect(page).toEqual({ items: [{ id: '1' }, { id: '2' }], nextCursor: '2' });
  expect(server.received.map(({ url }) => url)).toEqual(['/projects?limit=2']);
});

test('an iterated list is every item once, page by page', async () => {
  await using server = await scriptedServer(...pages());
  const ids: string[] = [];
  for await (const { id } of server.client().projects.list({ limit: 2 })) ids.push(id);
  expect(ids).toEqual(['1', '2', '3', '4', '5']);
  expect(server.received.map(({ url }) => url)).toEqual([
    '/projects?limit=2',
    '/projects?limit=2&cursor=2',
    '/projects?limit=2&cursor=4',
  ]);
});

test('a loop that is left asks for no more pages', async () => {
  await using server = await scriptedServer(...pages());
  for await (const { id } of server.client().projects.list()) if (id === '3') break;
  expect(server.received).toHaveLength(2);
});

test.each([
  [0, 0, 1],
  [2, 2, 1],
  [3, 3, 2],
  [100, 5, 3],
])('toArray of at most %i has %i items, from %i pages', async (limit, length, requests) => {
  await using server = await scriptedServer(...pages());
  expect(await server.client().projects.list().toArray({ limit })).toHaveLength(length);
  expect(server.received).toHaveLength(requests);
});

test('a lost page is requested again, and none is skipped', async () => {
  const [first, ...rest] = pages();
  await using server = await scriptedServer(lost, first ?? lost, lost, ...rest);
  const all = await server.client().projects.list().toArray({ limit: 10 });
  expect(all.map(({ id }) => id)).toEqual(['1', '2', '3', '4', '5']);
});

test('a failure of the second page ends the loop after the first', async () => {
  const [first] = pages();
  await using server = await scriptedServer(first ?? lost, problem(404, 'not_found'));
  const ids: string[] = [];
  const walk = async () => {
    for await (const { id } of server.client().projects.list()) ids.push(id);
  };
  await expect(walk()).rejects.toMatchObject({ code: 'not_found' });
  expect(ids).toEqual(['1', '2']);
});

test('the filter of a list goes with every page', async () => {
  await using server = await scriptedServer(...pages());
  await server.client().sessions.list('p', { status: 'ACTIVE' }).toArray({ limit: 10 });
  expect(server.received.map(({ url }) => url)).toEqual([
    '/projects/p/sessions?status=ACTIVE',
    '/projects/p/sessions?status=ACTIVE&cursor=2',
    '/projects/p/sessions?status=ACTIVE&cursor=4',
  ]);
});
