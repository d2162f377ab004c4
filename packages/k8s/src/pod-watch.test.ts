import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { type FakeRequest, openFakeApi, sendError, sendJson } from '../testing/fake-api.ts';
import { PodWatch, type WatchTiming } from './pod-watch.ts';

const TIMING: WatchTiming = { relistMs: 60_000, retryMs: 1, maxRetryMs: 5 };
const PATHNAME = '/api/v1/namespaces/agents/pods';

test('all pods, then each change from the list’s version on', async () => {
  const watched = await watch((request, response) => {
    if (isList(request)) return sendList(response, '10', ['a']);
    send(response, 'ADDED', 'b', '11');
    send(response, 'MODIFIED', 'b', '12');
    return send(response, 'DELETED', 'a', '13');
  });
  await expect
    .poll(() => watched.reports)
    .toEqual(['listing', 'listed a', 'changed b', 'changed b', 'deleted a']);
  const [list, follow] = watched.requests();
  expect(list?.searchParams.get('labelSelector')).toBe('app=blue,x in (y)');
  expect(Object.fromEntries(follow?.searchParams ?? [])).toEqual({
    labelSelector: 'app=blue,x in (y)',
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion: '10',
  });
});

test('a watch that ends or breaks resumes after its last change or bookmark', async () => {
  let watches = 0;
  const watched = await watch((request, response) => {
    if (isList(request)) return sendList(response, '10', []);
    watches += 1;
    if (watches === 1) {
      send(response, 'ADDED', 'a', '11');
      return void response.end();
    }
    if (watches === 2) {
      const bookmark = { type: 'BOOKMARK', object: { metadata: { resourceVersion: '20' } } };
      return void response.write(`${JSON.stringify(bookmark)}\n`, () => response.socket?.destroy());
    }
    return send(response, 'ADDED', 'b', '21');
  });
  await expect
    .poll(() => watched.reports)
    .toEqual(['listing', 'listed ', 'changed a', 'changed b']);
  const versions = watched.requests().map((url) => url.searchParams.get('resourceVersion'));
  expect(versions).toEqual([null, '10', '11', '20']);
});

test.each<[string, (response: ServerResponse) => void]>([
  ['the response 410', (response) => sendError(response, 410, 'Expired')],
  [
    'an error event',
    (response) => void response.write('{"type":"ERROR","object":{"kind":"Status","code":410}}\n'),
  ],
  [
    'an error event without a code',
    (response) => void response.write('{"type":"ERROR","object":{}}\n'),
  ],
])(
  'a watch that cannot resume, by %s, starts with a new list, and is no failure',
  async (_, refuse) => {
    let lists = 0;
    const watched = await watch((request, response) => {
      if (!isList(request))
        return lists === 1 ? refuse(response) : send(response, 'ADDED', 'b', '31');
      lists += 1;
      return sendList(response, String(lists * 10), lists === 1 ? ['a'] : []);
    });
    await expect
      .poll(() => watched.reports)
      .toEqual(['listing', 'listed a', 'listing', 'listed ', 'changed b']);
  },
);

test('a list that fails is retried, and a failure that lasts is reported', async () => {
  let isAway = true;
  const watched = await watch((request, response) => {
    if (isAway) sendError(response, 403, 'Forbidden');
    else if (isList(request)) sendList(response, '10', ['a']);
  });
  await expect.poll(() => watched.reports).toContain('failed 403');
  isAway = false;
  await expect.poll(() => watched.reports.at(-1)).toBe('listed a');
});

test('a change that is not a pod is reported as a failure, and followed by a retry', async () => {
  let watches = 0;
  const watched = await watch((request, response) => {
    if (isList(request)) return sendList(response, '10', []);
    watches += 1;
    if (watches < 4) return void response.write('{"type":"ADDED","object":{}}\n');
    return send(response, 'ADDED', 'a', '11');
  });
  await expect.poll(() => watched.reports.at(-1)).toBe('changed a');
  expect(watched.reports.some((report) => report.startsWith('failed'))).toBe(true);
});

test('a list that has reached its greatest age is requested again, and resumes from its version', async () => {
  let lists = 0;
  const watched = await watch(
    (request, response) => {
      if (!isList(request)) return response.flushHeaders();
      lists += 1;
      return sendList(response, String(lists), [`pod-${lists}`]);
    },
    { ...TIMING, relistMs: 20 },
  );
  await expect.poll(() => watched.reports).toContain('listed pod-3');
});

test('disposal ends the watch at once, also while the server does not respond', async () => {
  const watched = await watch(() => {});
  await expect.poll(() => watched.requests()).toHaveLength(1);
  await watched.dispose();
  expect(watched.reports).toEqual(['listing']);
});

async function watch(
  respond: (request: FakeRequest, response: ServerResponse) => void,
  timing = TIMING,
) {
  const fake = await openFakeApi(respond);
  const reports: string[] = [];
  const podWatch = new PodWatch({
    api: fake.api,
    pathname: PATHNAME,
    selector: 'app=blue,x in (y)',
    timing,
    listener: {
      listing: () => void reports.push('listing'),
      listed: (pods) =>
        void reports.push(`listed ${pods.map(({ metadata }) => metadata.name).join()}`),
      changed: ({ metadata }) => void reports.push(`changed ${metadata.name}`),
      deleted: ({ metadata }) => void reports.push(`deleted ${metadata.name}`),
      failed: (error) => void reports.push(`failed ${statusOf(error)}`),
    },
  });
  const dispose = async () => await podWatch[Symbol.asyncDispose]();
  onTestFinished(async () => {
    await dispose();
    await fake[Symbol.asyncDispose]();
  });
  return { reports, requests: () => fake.requests.map(({ url }) => url), dispose };
}

function statusOf(error: unknown): string {
  return error instanceof Error && 'status' in error ? String(error.status) : String(error);
}

function isList({ url }: FakeRequest): boolean {
  return !url.searchParams.has('watch');
}

function podOf(name: string, resourceVersion: string) {
  return { metadata: { name, uid: `uid-${name}`, resourceVersion } };
}

function sendList(
  response: ServerResponse,
  resourceVersion: string,
  names: readonly string[],
): void {
  const items = names.map((name) => podOf(name, resourceVersion));
  sendJson(response, 200, { metadata: { resourceVersion }, items });
}

/** Sends one event of a watch, and leaves the response open. */
function send(response: ServerResponse, type: string, name: string, version: string): void {
  response.write(`${JSON.stringify({ type, object: podOf(name, version) })}\n`);
}
