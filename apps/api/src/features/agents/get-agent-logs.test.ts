import { expect } from 'vitest';
import { insertAgent, stop, write } from '../../../testing/agent-log.ts';
import { apiTest as test } from '../../../testing/api-test.ts';

test('200 with the last 200 lines, or as many as requested; complete once the agent has stopped', async ({
  api,
  ana,
}) => {
  const id = await insertAgent(api, ana, 300);
  const logs = async (query = '') =>
    (await api.inject(ana, { url: `/agents/${id}/logs${query}` })).json();
  const usual = await logs();
  expect([usual.items.length, usual.items.at(-1).line, usual.complete]).toEqual([
    200,
    'line 299',
    false,
  ]);
  expect((await logs('?tail=5000')).items).toHaveLength(300);
  expect((await logs('?tail=1')).items).toEqual([
    { timestamp: '2026-11-21T08:00:00.000Z', line: 'line 299' },
  ]);
  await stop(api, id);
  expect((await logs()).complete).toBe(true);
});

test('200 with all lines after the one whose timestamp is `since`, and never that line', async ({
  api,
  ana,
}) => {
  const id = await insertAgent(api, ana, 10, 1500);
  const read = async (query: string): Promise<{ timestamp: string; line: string }[]> =>
    (await api.inject(ana, { url: `/agents/${id}/logs?${query}` })).json().items;
  const all = await read('tail=100');
  expect(all).toHaveLength(10);
  for (const [index, { timestamp }] of all.entries()) {
    expect(timestamp).toMatch(/^2026-11-21T08:00:00\.\d{3}Z$/);
    expect(await read(`since=${timestamp}`)).toEqual(all.slice(index + 1));
  }
  expect(await read('since=2026-11-21T09:00:00.0015%2B01:00&tail=2')).toEqual(all.slice(-2));
  expect(await read('since=2026-11-21T08:00:00.0119Z')).toEqual(all.slice(-2));
  expect(await read('since=2026-11-21T07:59:59Z')).toEqual(all);
});

test('200 with all lines since a time, not only the last 200; nextSince continues, even within a millisecond', async ({
  api,
  ana,
}) => {
  const id = await insertAgent(api, ana, 5100);
  const read = async (since: string) =>
    (await api.inject(ana, { url: `/agents/${id}/logs?since=${since}` })).json();
  const first = await read('2026-11-21T00:00:00Z');
  expect([first.items.length, first.items[0].line]).toEqual([5000, 'line 0']);
  const second = await read(first.nextSince);
  expect([second.items.length, second.items[0].line]).toEqual([100, 'line 5000']);
  expect(await read(second.nextSince)).toMatchObject({ items: [], nextSince: second.nextSince });
  await write(api, id, 1);
  expect((await read(second.nextSince)).items).toMatchObject([{ line: 'line 5100' }]);
});

test('complete only with the last line, though the agent has stopped; plain text has all lines at once', async ({
  api,
  ana,
}) => {
  const id = await insertAgent(api, ana, 5100);
  await stop(api, id);
  const url = `/agents/${id}/logs?since=2026-11-21T00:00:00Z`;
  const { complete, nextSince } = (await api.inject(ana, { url })).json();
  const rest = await api.inject(ana, { url: `/agents/${id}/logs?since=${nextSince}` });
  expect([complete, rest.json().complete]).toEqual([false, true]);
  const text = await api.inject(ana, { url, headers: { accept: 'text/plain' } });
  expect(text.body.split('\n').slice(-2)).toEqual(['line 5099', '']);
});

test('200 with plain lines for a client that accepts text', async ({ api, ana }) => {
  const id = await insertAgent(api, ana, 2);
  const url = `/agents/${id}/logs`;
  const text = await api.inject(ana, { url, headers: { accept: 'text/plain' } });
  expect([text.headers['content-type'], text.body]).toEqual([
    'text/plain; charset=utf-8',
    'line 0\nline 1\n',
  ]);
  const either = await api.inject(ana, { url, headers: { accept: '*/*' } });
  expect(either.headers['content-type']).toMatch(/^application\/json/);
});

test('200 without lines for an agent that has printed nothing', async ({ api, ana }) => {
  const answer = await api.inject(ana, { url: `/agents/${await insertAgent(api, ana, 0)}/logs` });
  expect([answer.statusCode, answer.json()]).toEqual([
    200,
    { items: [], nextSince: null, complete: false, source: 'program' },
  ]);
});

test.for(['tail=0', 'tail=5001', 'tail=all', 'since=yesterday', 'since=', 'lines=3'])(
  '400 for %s',
  async (query, { api, ana }) => {
    const id = await insertAgent(api, ana, 0);
    const answer = await api.inject(ana, { url: `/agents/${id}/logs?${query}` });
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'invalid_request']);
  },
);
