import type { ServerResponse } from 'node:http';
import type { LogQuery } from '@session/agents';
import { expect, test } from 'vitest';
import { type FakeRequest, openFakeApi, sendError } from '../testing/fake-api.ts';
import { type LogSource, podLog } from './pod-log.ts';

const SECOND = Date.parse('2026-11-21T10:00:00Z') * 1000;
const LINES = [
  '2026-11-21T10:00:00.1Z one\n',
  '2026-11-21T10:00:00.2Z two\n',
  '2026-11-21T10:00:01.5Z three\n',
];

test('a log that is not followed is read once, with timestamps', async () => {
  const { lines, requests } = await read({}, (_, response) => void response.end(LINES.join('')));
  expect(lines).toEqual([
    { at: SECOND + 100_000, line: 'one' },
    { at: SECOND + 200_000, line: 'two' },
    { at: SECOND + 1_500_000, line: 'three' },
  ]);
  expect(requests).toEqual([{ container: 'agent', timestamps: 'true' }]);
});

test('a reading after a line starts with the line’s second, and leaves out the lines before', async () => {
  const query = { since: SECOND + 100_000 };
  const { lines, requests } = await read(query, (_, response) => void response.end(LINES.join('')));
  expect(lines.map(({ line }) => line)).toEqual(['two', 'three']);
  expect(requests).toMatchObject([{ sinceTime: '2026-11-21T10:00:00.000Z' }]);
});

test('a reading of the last lines leaves the choice to the server', async () => {
  const { requests } = await read({ tail: 2 }, (_, response) => void response.end(LINES.join('')));
  expect(requests).toMatchObject([{ tailLines: '2' }]);
});

test('the last line of a complete log needs no line end', async () => {
  const { lines } = await read({}, (_, response) => void response.end('2026-11-21T10:00:00Z last'));
  expect(lines).toEqual([{ at: SECOND, line: 'last' }]);
});

test.each([404, 400])('a response with %i is a log without lines', async (status) => {
  const { lines, requests } = await read({}, (_, response) => sendError(response, status, ''));
  expect([lines, requests.length]).toEqual([[], 1]);
});

test('a log that is not followed fails when the server stays away, after some retries', async () => {
  let count = 0;
  const reading = read({}, (_, response) => {
    count += 1;
    sendError(response, 500, 'Away');
  });
  await expect(reading).rejects.toMatchObject({ status: 500 });
  expect(count).toBe(4);
});

test('a followed log resumes after broken connections: no line is missed or repeated', async () => {
  let hasEnded = false;
  let count = 0;
  const { lines, requests } = await read(
    { follow: true },
    (_, response) => {
      count += 1;
      if (count === 1) {
        // Cut within the second line, which must be read again as a whole.
        response.write(LINES.join('').slice(0, 40), () => response.socket?.destroy());
      } else if (count === 2) {
        sendError(response, 503, 'Away');
      } else if (count === 3) {
        // Ended within the third line: it must not be taken for a whole one.
        response.end(LINES.join('').slice(0, -3));
        hasEnded = true;
      } else {
        response.end(LINES.join(''));
      }
    },
    { hasEnded: () => hasEnded },
  );
  expect(lines.map(({ line }) => line)).toEqual(['one', 'two', 'three']);
  expect(requests.map(({ follow, sinceTime }) => [follow, sinceTime])).toEqual([
    ['true', undefined],
    ['true', '2026-11-21T10:00:00.000Z'],
    ['true', '2026-11-21T10:00:00.000Z'],
    [undefined, '2026-11-21T10:00:00.000Z'],
  ]);
});

test('a follower of the last lines asks for them once, and resumes without them', async () => {
  let hasEnded = false;
  const { lines, requests } = await read(
    { follow: true, tail: 1 },
    (_, response) => {
      response.end(hasEnded ? LINES.slice(1).join('') : LINES[1]);
      hasEnded = true;
    },
    { hasEnded: () => hasEnded },
  );
  expect(lines.map(({ line }) => line)).toEqual(['two', 'three']);
  expect(requests.map(({ tailLines }) => tailLines)).toEqual(['1', undefined]);
});

test('a follower waits until the program has started', async () => {
  const events: string[] = [];
  await read(
    { follow: true },
    (_, response) => {
      events.push('read');
      response.end();
    },
    { untilStarted: async () => void events.push('started'), hasEnded: () => true },
  );
  expect(events).toEqual(['started', 'read']);
});

test('a follower ends with its signal, while the log is open and before the program starts', async () => {
  const stop = new AbortController();
  const { lines } = await read({ follow: true, signal: stop.signal }, (_, response) => {
    response.write(LINES[0], () => setImmediate(() => stop.abort()));
  });
  expect(lines.length).toBeLessThanOrEqual(1);
  const aborted = AbortSignal.abort();
  const { requests } = await read({ follow: true, signal: aborted }, () => {});
  expect(requests).toEqual([]);
});

/** Reads a log to its end. Returns its lines, and the parameters of each request. */
async function read(
  query: LogQuery,
  respond: (request: FakeRequest, response: ServerResponse) => void,
  source: Partial<LogSource> = {},
) {
  await using fake = await openFakeApi(respond);
  const pod: LogSource = {
    pathname: '/api/v1/namespaces/agents/pods/agent-a1',
    hasEnded: () => false,
    untilStarted: async () => {},
    untilChanged: async () => {},
    ...source,
  };
  const lines = [];
  for await (const line of podLog(fake.api, pod, query)) lines.push(line);
  for (const { url } of fake.requests) expect(url.pathname).toBe(`${pod.pathname}/log`);
  const requests = fake.requests.map(
    ({ url }): Record<string, string> => Object.fromEntries(url.searchParams),
  );
  return { lines, requests };
}
