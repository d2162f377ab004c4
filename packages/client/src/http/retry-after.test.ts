import { afterEach, expect, test, vi } from 'vitest';
import { FakePage } from '../../testing/fake-page.ts';
import { createClient } from '../index.ts';

afterEach(() => void vi.useRealTimers());

/** Returns a client behind a proxy that answers 503 with this `Retry-After` while its API is away. */
function behindProxy(retryAfter: string) {
  vi.useFakeTimers({ now: Date.parse('2026-11-21T08:00:00.000Z') });
  const service = { isAway: true, requests: 0 };
  const answer = {
    id: 'u',
    name: 'Ada',
    items: [],
    nextCursor: null,
    nextSince: '2026-11-21T08:00:00.000Z',
    hasMore: false,
  };
  const fetch = async () => {
    service.requests += 1;
    if (!service.isAway) return Response.json(answer);
    return new Response('', { status: 503, headers: { 'retry-after': retryAfter } });
  };
  const client = createClient({ baseUrl: 'http://127.0.0.1:1', random: () => 0.5, fetch });
  return { service, client };
}

test('a proxy that asks for an hour keeps a reader away for at most a minute', async () => {
  const { service, client } = behindProxy('3600');
  await expect(client.service.info()).rejects.toMatchObject({ retryAfterMs: 3_600_000 });
  service.isAway = false;
  const reading = client.service.info();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(service.requests).toBe(2);
  await reading;
});

test('a page that wakes reads at once, however long a proxy asked it to wait', async () => {
  const { service, client } = behindProxy('3600');
  const page = new FakePage(false);
  await using conversation = client.conversation('s', { page });
  const connection = () => conversation.timeline.getSnapshot().connection;
  service.isAway = false;
  await conversation.open();
  service.isAway = true;
  // The stream that broke shows nothing yet, and the next request waits a minute.
  await vi.advanceTimersByTimeAsync(61_000);
  expect(connection()).toBe('offline');
  service.isAway = false;
  page.wake();
  await vi.advanceTimersByTimeAsync(10);
  expect(connection()).toBe('live');
});

test('a proxy that asks for many years does not get one request after the other', async () => {
  const { service, client } = behindProxy('Thu, 01 Jan 2099 00:00:00 GMT');
  const conversation = client.conversation('s');
  const opening = conversation.open().catch(() => {});
  await vi.advanceTimersByTimeAsync(1000);
  expect(service.requests).toBeLessThan(5);
  await conversation.close();
  await opening;
});
