import { expect, test } from 'vitest';
import {
  events,
  json,
  lineEvent,
  problem,
  type ScriptedAnswer,
  scriptedServer,
} from '../../testing/scripted-server.ts';
import { createClient } from '../index.ts';
import { Bearer, type TokenSource } from './bearer.ts';

/** Answers requests with the token `good` as `answer` does, and all others with 401. */
function only(good: string, answer: ScriptedAnswer): ScriptedAnswer {
  const refuse = problem(401, 'unauthorized');
  return (response, received) => {
    const isGood = received.headers.authorization === `Bearer ${good}`;
    return (isGood ? answer : refuse)(response, received);
  };
}

const page = (cursor: string | null) => json({ items: [{ id: cursor }], nextCursor: cursor });

/** Returns a source with an old token that can get a new one. Counts how often the source is asked for the new one. */
function source({ keeps = true, next = 'new' } = {}) {
  let token = 'old';
  const asked = { times: 0 };
  const answer: TokenSource = async ({ expired }) => {
    if (!expired) return token;
    asked.times += 1;
    if (keeps) token = next;
    return next;
  };
  return { answer, asked };
}

test.each([true, false])(
  'an expired token is asked for once by many calls, also by a source that keeps it: %s',
  async (keeps) => {
    await using server = await scriptedServer(only('new', json({ id: 'u' })));
    const { answer, asked } = source({ keeps });
    const client = server.client({ token: answer });
    const calls = Array.from({ length: 10 }, () => client.auth.me());
    await Promise.all(calls);
    expect(asked.times).toBe(1);
    const requests = server.received.length;
    await client.auth.me();
    const later = server.received.slice(requests).map(({ headers }) => headers.authorization);
    expect([later, asked.times]).toEqual([['Bearer new'], 1]);
  },
);

test('a call that is refused while the new token is on its way waits for the same one', async () => {
  const next = Promise.withResolvers<string>();
  let times = 0;
  const bearer = new Bearer(({ expired }) => {
    if (!expired) return 'old';
    times += 1;
    return next.promise;
  });
  await bearer.current();
  const replaced = Promise.all([bearer.replace('old'), bearer.replace('old')]);
  next.resolve('new');
  expect([await replaced, times]).toEqual([['new', 'new'], 1]);
});

const LATEST_MS = 20;

/** Answers lists, logs and conversations in two parts, so that each of them sends a second request. */
const parts: ScriptedAnswer = (response, received) => {
  const { url, headers } = received;
  const send = (answer: ScriptedAnswer) => answer(response, received);
  if (url.includes('/logs')) {
    const isFirst = headers['last-event-id'] === undefined;
    const rest = events(lineEvent(1), 'event: complete\ndata: {}\n\n');
    return send(isFirst ? events(lineEvent(0)) : rest);
  }
  if (url.includes('/latest')) {
    const latest = json({ items: [], nextSince: '2026-11-21T08:00:00.000Z', hasMore: false });
    return setTimeout(() => send(latest), LATEST_MS);
  }
  if (url.includes('/messages')) return send(json({ items: [], nextCursor: null }));
  if (url.includes('/auth/me')) return send(json({ id: 'u', name: 'Ada' }));
  return send(page(url.includes('cursor') ? null : 'next'));
};

test('a list, a log and a conversation go on with the new token, which is requested once', async () => {
  let good = 'old';
  await using server = await scriptedServer((response, received) =>
    only(good, parts)(response, received),
  );
  const { answer, asked } = source();
  const client = server.client({ token: answer });
  await using conversation = client.conversation('s');
  await conversation.open();
  const lines: unknown[] = [];
  const follow = async () => {
    for await (const event of client.agents.logs('a', { follow: true })) {
      lines.push(event);
      good = 'new';
    }
  };
  const walk = async () => {
    const found: unknown[] = [];
    for await (const item of client.projects.list()) {
      found.push(item);
      good = 'new';
    }
    return found;
  };
  const [, found] = await Promise.all([follow(), walk()]);
  const reads = () =>
    server.received.filter(
      ({ url, headers }) => url.includes('/latest') && headers.authorization === 'Bearer new',
    ).length;
  await expect.poll(reads).toBeGreaterThan(1);
  expect(conversation.timeline.getSnapshot()).toMatchObject({ connection: 'live', error: null });
  expect([lines.length, found.length, asked.times]).toEqual([2, 2, 1]);
});

test.each<[string, TokenSource | undefined]>([
  ['a token alone', 'old'],
  ['a source that has the same again', () => 'old'],
  ['a source that has none', ({ expired }) => (expired ? null : 'old')],
])('401 for %s is the caller’s to know, after one request', async (_, token) => {
  await using server = await scriptedServer(problem(401, 'unauthorized'));
  const client = server.client(token === undefined ? {} : { token });
  await expect(client.auth.me()).rejects.toMatchObject({ code: 'unauthorized' });
  expect(server.received).toHaveLength(1);
});

test('a call whose new token is refused too does not ask for another', async () => {
  await using server = await scriptedServer(problem(401, 'unauthorized'));
  const { answer, asked } = source();
  await expect(server.client({ token: answer }).auth.me()).rejects.toMatchObject({ status: 401 });
  expect([server.received.length, asked.times]).toEqual([2, 1]);
});

test.each([false, true])(
  'a source that fails ends the call with its own error, and is asked the next time',
  async (isExpired) => {
    await using server = await scriptedServer(problem(401, 'unauthorized'));
    let times = 0;
    const token: TokenSource = ({ expired }) => {
      if (expired !== isExpired) return 'old';
      times += 1;
      throw new Error('no session');
    };
    const client = server.client({ token });
    await expect(client.auth.me()).rejects.toThrow('no session');
    await expect(client.auth.me()).rejects.toThrow('no session');
    expect(times).toBe(2);
  },
);

test.each<[string, TokenSource | undefined]>([
  ['no token', undefined],
  ['a source that has none', () => undefined],
])('with %s a request goes without', async (_, token) => {
  await using server = await scriptedServer(json({}));
  const { url } = server;
  await createClient({ baseUrl: `${url}/`, ...(token && { token }) }).auth.me();
  expect(server.received.map(({ url: asked, headers }) => [asked, headers.authorization])).toEqual([
    ['/auth/me', undefined],
  ]);
});

test('signing up, logging in and the service itself get no token', async () => {
  await using server = await scriptedServer(json({}));
  const client = server.client();
  await client.auth.signUp({ email: 'a@example.org', password: 'x', name: 'Ada' });
  await client.auth.logIn({ email: 'a@example.org', password: 'x' });
  await client.service.info();
  await client.service.health();
  expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

const jwt = (claims: unknown) =>
  `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.sig`;

test.each<[string, string, string | null]>([
  ['a token', jwt({ exp: 1_795_247_711, name: 'ÿÿÿ?>' }), '2026-11-21T07:55:11.000Z'],
  ['a token without exp', jwt({ sub: 'u' }), null],
  ['a token with a strange exp', jwt({ exp: 'soon' }), null],
  ['claims that are no object', jwt(null), null],
  ['what is no token', 'a-token', null],
])('expiresAt of %s', async (_, token, expected) => {
  await using server = await scriptedServer(json({}));
  expect(server.client({ token }).auth.expiresAt?.toISOString() ?? null).toBe(expected);
  const client = server.client({ token: () => token });
  expect(client.auth.expiresAt).toBeNull();
  await client.auth.me();
  expect(client.auth.expiresAt?.toISOString() ?? null).toBe(expected);
});
