import { once } from 'node:events';
import { expect, test } from 'vitest';
import {
  cut,
  events,
  json,
  lineEvent,
  lost,
  problem,
  type ScriptedAnswer,
  scriptedServer,
} from '../../testing/scripted-server.ts';
import type { AdminClient, AgentLogEvent } from '../admin.ts';

const COMPLETE = 'event: complete\ndata: {}\n\n';
const gapEvent = (lines: number) => `event: gap\ndata: {"lines":${lines}}\n\n`;

const shown = (event: AgentLogEvent) => (event.type === 'gap' ? `${event.lines} lost` : event.line);

const follow = async (client: AdminClient): Promise<string[]> =>
  (await Array.fromAsync(client.agents.logs('a', { follow: true }))).map(shown);

/** Sends events, and breaks the connection in the middle of the next one. */
function broken(...lines: string[]): ScriptedAnswer {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`retry: 1\n\n${lines.join('')}id: 99\ndata: {"line":"half`, () =>
      response.destroy(),
    );
  };
}

test('without `follow` the lines so far are one answer', async () => {
  const log = { items: [{ timestamp: 't', line: 'ready' }], nextSince: 't', complete: false };
  await using server = await scriptedServer(json(log));
  expect(await server.client().agents.logs('a', { tail: 5, since: 't' })).toEqual(log);
  const [{ url, headers } = { url: '', headers: {} }] = server.received;
  expect([url, headers.accept]).toEqual(['/agents/a/logs?tail=5&since=t', 'application/json']);
});

test('a followed log yields each line with its number, and ends with `complete`', async () => {
  await using server = await scriptedServer(events(lineEvent(7), COMPLETE));
  const found = await Array.fromAsync(server.client().agents.logs('a', { follow: true, tail: 5 }));
  expect(found).toEqual([
    { type: 'line', number: 7, timestamp: '2026-11-21T08:00:04.250Z', line: 'line 7' },
  ]);
  const [{ url, headers } = { url: '', headers: {} }] = server.received;
  expect([url, headers.accept]).toEqual(['/agents/a/logs?tail=5', 'text/event-stream']);
});

test.each<[string, ScriptedAnswer]>([
  ['an end without `complete`', events(lineEvent(0), lineEvent(1))],
  ['a connection that breaks', broken(lineEvent(0), lineEvent(1))],
])('after %s a log goes on behind the last line', async (_, breaks) => {
  await using server = await scriptedServer(
    breaks,
    lost,
    breaks,
    problem(503, 'overloaded'),
    events(lineEvent(2), COMPLETE),
  );
  expect(await follow(server.client())).toEqual(['line 0', 'line 1', 'line 2']);
  const ids = server.received.map(({ headers }) => headers['last-event-id']);
  expect(ids).toEqual([undefined, '1', '1', '1', '1']);
});

test('a log waits out a restart that takes longer than all retries', async () => {
  const away = Array.from({ length: 7 }, () => lost);
  await using server = await scriptedServer(
    events(lineEvent(0)),
    ...away,
    events(lineEvent(1), COMPLETE),
  );
  expect(await follow(server.client())).toEqual(['line 0', 'line 1']);
});

test('lines that are no longer kept are yielded as a gap, in their place', async () => {
  await using server = await scriptedServer(
    events(lineEvent(0)),
    events(gapEvent(40), lineEvent(41), COMPLETE),
  );
  expect(await follow(server.client())).toEqual(['line 0', '40 lost', 'line 41']);
});

test('unknown events of a newer API are ignored', async () => {
  const odd = 'event: resources\ndata: {"cpu":1}\n\n';
  await using server = await scriptedServer(events(odd, lineEvent(0), odd, COMPLETE));
  expect(await follow(server.client())).toEqual(['line 0']);
});

test.each<[string, ScriptedAnswer[], string, number]>([
  ['an agent that is not there', [problem(404, 'not_found')], '404 not_found', 1],
  [
    'a log that is taken away',
    [events(lineEvent(0)), problem(404, 'not_found')],
    '404 not_found',
    2,
  ],
  ['a server that was never there', [lost], 'no answer', 3],
  ['a server that answers with half', [cut('x')], 'or only a part', 1],
])('%s ends it with what is wrong', async (_, answers, message, requests) => {
  await using server = await scriptedServer(...answers);
  await expect(follow(server.client())).rejects.toThrow(message);
  expect(server.received).toHaveLength(requests);
});

test('the connection ends when the caller leaves the loop or aborts', async () => {
  for (const leaves of [true, false]) {
    const closed = Promise.withResolvers<void>();
    await using server = await scriptedServer(async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(lineEvent(0));
      await once(response, 'close');
      closed.resolve();
    });
    const caller = new AbortController();
    const { signal } = caller;
    const read = async () => {
      for await (const _ of server.client().agents.logs('a', { follow: true, signal })) {
        if (leaves) break;
        caller.abort();
      }
      return 'left';
    };
    const end = await read().catch((error: unknown) => error);
    await closed.promise;
    expect(leaves ? end === 'left' : end === signal.reason).toBe(true);
  }
});
