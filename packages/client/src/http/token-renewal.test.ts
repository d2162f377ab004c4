import { afterEach, expect, test, vi } from 'vitest';
import { type ApiError, createClient } from '../index.ts';

const LIFETIME_MS = 10 * 60_000;
const STEP_MS = 20_000;

afterEach(() => {
  vi.useRealTimers();
});

function tokenOf(issuedAtMs: number, lifetimeMs = LIFETIME_MS): string {
  const iat = Math.floor(issuedAtMs / 1000);
  const claims = { iat, exp: iat + lifetimeMs / 1000 };
  return `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.sig`;
}

/**
 * Returns a client and its API in virtual time. The API's clock is `seen.aheadMs` ahead of the client's, and it accepts
 * each token until the token expires by that clock. The source calls `issue` for its first token, and when it is told
 * that a token expired.
 */
function service({ aheadMs = 0, keeps = true } = {}) {
  vi.useFakeTimers();
  const seen = {
    aheadMs,
    issued: 0,
    refused: 0,
    accepted: [] as string[],
    asked: [] as boolean[],
    fails: false,
  };
  const now = () => Date.now() + seen.aheadMs;
  const issue = () => {
    seen.issued += 1;
    if (seen.fails) throw new Error('no session');
    return tokenOf(now());
  };
  let token = issue();
  const client = createClient({
    baseUrl: 'http://127.0.0.1:1',
    token: ({ expired, refused }) => {
      if (!expired) return token;
      seen.asked.push(refused);
      const next = issue();
      if (keeps) token = next;
      return next;
    },
    fetch: async (_, init) => {
      const bearer = new Headers(init?.headers).get('authorization')?.slice(7) ?? '';
      const { exp } = JSON.parse(Buffer.from(bearer.split('.')[1] ?? '', 'base64url').toString());
      const isExpired = exp * 1000 <= now();
      if (isExpired) seen.refused += 1;
      else seen.accepted.push(bearer);
      return Response.json(isExpired ? { code: 'unauthorized' } : { id: 'u' }, {
        status: isExpired ? 401 : 200,
      });
    },
  });
  return { client, seen };
}

async function readFor(client: ReturnType<typeof createClient>, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += STEP_MS) {
    await vi.advanceTimersByTimeAsync(STEP_MS);
    await client.auth.me();
  }
}

const DAY_MS = 24 * 60 * 60_000;

test.each([
  ['a clock that is right', { aheadMs: 0 }],
  ['a clock that is a day behind', { aheadMs: DAY_MS }],
  ['a clock that is a day ahead', { aheadMs: -DAY_MS }],
  ['a source that does not keep the new one', { keeps: false }],
])('a token of ten minutes is renewed before it ends: %s', async (_, options) => {
  const { client, seen } = service(options);
  await readFor(client, 15 * 60_000);
  expect([seen.issued, seen.refused]).toEqual([2, 0]);
});

test('many calls at once renew the token once, and wait for nothing', async () => {
  const { client, seen } = service();
  await client.auth.me();
  await vi.advanceTimersByTimeAsync(LIFETIME_MS * 0.9 - 1);
  await client.auth.me();
  expect(seen.issued).toBe(1);
  await vi.advanceTimersByTimeAsync(2);
  await Promise.all(Array.from({ length: 10 }, () => client.auth.me()));
  expect([seen.issued, seen.refused]).toEqual([2, 0]);
  await client.auth.me();
  expect(new Set(seen.accepted).size).toBe(2);
});

test('a renewal that fails is not tried again before the token is refused', async () => {
  const { client, seen } = service();
  await client.auth.me();
  seen.fails = true;
  await readFor(client, LIFETIME_MS - STEP_MS);
  expect([seen.issued, seen.refused]).toEqual([2, 0]);
  seen.fails = false;
  await readFor(client, 60_000);
  expect([seen.issued, seen.refused]).toEqual([3, 1]);
  expect(seen.asked).toEqual([false, true]);
});

test.each([
  ['forward renews once, and early', DAY_MS, 0],
  ['back leaves the renewal to the refusal', -DAY_MS, 1],
])('a clock that is set %s', async (_, stepMs, refused) => {
  const { client, seen } = service();
  await client.auth.me();
  vi.setSystemTime(Date.now() + stepMs);
  seen.aheadMs -= stepMs;
  await readFor(client, LIFETIME_MS);
  // With the clock set forward, the second token is renewed in time too.
  expect([seen.issued, seen.refused]).toEqual([3 - refused, refused]);
});

test('a token that ended while the page slept is asked for once, though it is refused during the renewal', async () => {
  vi.useFakeTimers();
  const asked: boolean[] = [];
  const answers = Promise.withResolvers<string>();
  const old = tokenOf(Date.now());
  const client = createClient({
    baseUrl: 'http://127.0.0.1:1',
    token: ({ expired, refused }) => {
      if (!expired) return old;
      asked.push(refused);
      return answers.promise;
    },
    fetch: async (_, init) => answerTo(init, (token) => token !== old || asked.length === 0),
  });
  await client.auth.me();
  await vi.advanceTimersByTimeAsync(DAY_MS);
  const calls = Promise.all([client.auth.me(), client.auth.me()]);
  await vi.advanceTimersByTimeAsync(1);
  answers.resolve(tokenOf(Date.now()));
  await calls;
  expect(asked).toEqual([false]);
});

test('a renewal that ends after another user signed in brings nothing of the former user back', async () => {
  vi.useFakeTimers();
  const renewal = Promise.withResolvers<string>();
  const ada = tokenOf(Date.now());
  const bob = tokenOf(Date.now(), 2 * LIFETIME_MS);
  let [token, isRefused] = [ada, false];
  const sent: string[] = [];
  const client = createClient({
    baseUrl: 'http://127.0.0.1:1',
    token: ({ expired, refused }) => {
      if (refused) return null;
      return expired ? renewal.promise : token;
    },
    fetch: async (_, init) =>
      answerTo(init, (bearer) => {
        sent.push(bearer);
        return !isRefused;
      }),
  });
  await client.auth.me();
  await vi.advanceTimersByTimeAsync(LIFETIME_MS * 0.95);
  await client.auth.me();
  token = bob;
  await client.auth.me();
  const { expiresAt } = client.auth;
  renewal.resolve(tokenOf(Date.now()));
  await vi.advanceTimersByTimeAsync(1);
  expect(client.auth.expiresAt).toEqual(expiresAt);
  isRefused = true;
  await expect(client.auth.me()).rejects.toMatchObject({ status: 401 });
  expect(sent).toEqual([ada, ada, bob, bob]);
});

test('a refusal of a former token does not sign out who signed in since', async () => {
  const refusal = Promise.withResolvers<void>();
  const asked: boolean[] = [];
  let token = 'former';
  const client = createClient({
    baseUrl: 'http://127.0.0.1:1',
    token: ({ expired }) => {
      if (expired) asked.push(expired);
      return token;
    },
    fetch: async (_, init) => {
      const isFormer = new Headers(init?.headers).get('authorization') === 'Bearer former';
      if (isFormer) await refusal.promise;
      return answerTo(init, () => !isFormer);
    },
  });
  const slow = client.auth.me();
  await Promise.resolve();
  token = 'new';
  await client.auth.me();
  refusal.resolve();
  await slow;
  expect(asked).toEqual([]);
});

const claimed = (claims: object) =>
  `e30.${Buffer.from(JSON.stringify({ sub: 'key', ...claims })).toString('base64url')}.sig`;

const ADA = { as: { id: 'ada', name: 'Ada' } };

test.each([
  ['an account', { sub: 'ada' }, { sub: 'ada', exp: 1 }, true],
  ['an end user with a new name', ADA, { as: { id: 'ada', name: 'Ada B' } }, true],
  ['another account', { sub: 'ada' }, { sub: 'bob' }, false],
  ['another end user', ADA, { as: { id: 'bob', name: 'Ada' } }, false],
])(
  'a refused request goes on with a new token of the same user alone: that of %s',
  async (_, former, next, isRepeated) => {
    const tokens = [claimed(former), claimed(next)];
    const sent: (string | undefined)[] = [];
    const client = createClient({
      baseUrl: 'http://127.0.0.1:1',
      token: ({ expired }) => tokens[expired ? 1 : 0],
      fetch: async (_url, init) =>
        answerTo(init, (bearer) => {
          sent.push(bearer);
          return bearer === tokens[1];
        }),
    });
    const status: unknown = await client.auth.me().then(
      () => 200,
      (error: ApiError) => error.status,
    );
    expect([status, sent]).toEqual(isRepeated ? [200, tokens] : [401, tokens.slice(0, 1)]);
  },
);

test('a refused request is not sent again for who signed in since', async () => {
  const [ada, bob] = [claimed({ sub: 'ada' }), claimed({ sub: 'bob' })];
  const refusal = Promise.withResolvers<void>();
  const sent: string[] = [];
  let token = ada;
  const client = createClient({
    baseUrl: 'http://127.0.0.1:1',
    token: () => token,
    fetch: async (_, init) => {
      const answer = answerTo(init, (bearer) => {
        sent.push(bearer);
        return bearer === bob;
      });
      if (!answer.ok) await refusal.promise;
      return answer;
    },
  });
  const slow = client.projects.create({ name: 'of Ada' });
  await expect.poll(() => sent).toEqual([ada]);
  token = bob;
  await client.auth.me();
  refusal.resolve();
  await expect(slow).rejects.toMatchObject({ status: 401 });
  expect(sent).toEqual([ada, bob]);
});

function answerTo(init: RequestInit | undefined, accepts: (token: string) => boolean): Response {
  const isAccepted = accepts(new Headers(init?.headers).get('authorization')?.slice(7) ?? '');
  const body = isAccepted ? { id: 'u' } : { code: 'unauthorized' };
  return Response.json(body, { status: isAccepted ? 200 : 401 });
}
