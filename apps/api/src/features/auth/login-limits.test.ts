import * as db from '@session/db';
import { hash } from 'bcryptjs';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { startTestApi, TEST_PASSWORD, type TestApi } from '../../../testing/api.ts';
import { apiTest as test } from '../../../testing/api-test.ts';
import { openPasswordHasher } from './password-hasher.ts';

const ATTACKER = '198.51.100.7';
const HOME = '192.0.2.1';
const WRONG = 'incorrect horse';

async function logIn({ app }: TestApi, email: string, password: string, remoteAddress: string) {
  const payload = { email, password };
  return await app.inject({ method: 'POST', url: '/auth/login', payload, remoteAddress });
}

const unlimited = { env: { RATE_LIMIT_LOGIN_PER_MINUTE: '0' } };

/** An attack sends 20 wrong passwords at once, each of them for another account and from the address of its number. */
interface Flood {
  readonly addressOf: (number: number) => string;
  readonly refusal: 429 | 503;
  readonly home: (login: number) => string;
}

const FLOODS: Readonly<Record<string, Flood>> = {
  'one address': {
    addressOf: () => ATTACKER,
    refusal: 429,
    home: (login) => `192.0.2.${login}`,
  },
  '20 networks of one IPv6 site, for people at networks that are new to their account': {
    addressOf: (number) => `2001:db8:66:${number}::1`,
    refusal: 429,
    home: (login) => `192.0.2.${login}`,
  },
  '20 addresses anywhere, for people at a network of an earlier login': {
    addressOf: (number) => `203.0.113.${number}`,
    refusal: 503,
    home: () => HOME,
  },
};

test.for(Object.entries(FLOODS))(
  '20 clients that log in at once turn none of 12 correct logins from elsewhere away: %s',
  async ([, { addressOf, refusal, home }], { database }) => {
    await using passwords = openPasswordHasher(1, 8);
    await using api = await startTestApi(database.url, { ...unlimited, deps: { passwords } });
    // Slow enough that a flood fills its queue.
    const passwordHash = await hash(TEST_PASSWORD, 6);
    const accounts = Array.from({ length: 21 }, () => `${uuidv7()}@example.org`);
    for (const email of accounts) {
      await db.insertUser(api.deps.database, { id: uuidv7(), email, name: 'Person', passwordHash });
    }
    const [owner = '', ...victims] = accounts;
    expect((await logIn(api, owner, TEST_PASSWORD, HOME)).statusCode).toBe(200);
    const statuses: number[] = [];
    const answersToAttackers = new Set<number>();
    for (let login = 0; login < 12; login += 1) {
      // Each attack begins with another account. Otherwise the limit of wrong passwords for one account would end the attacks.
      const attacked = [...victims.slice(login), ...victims.slice(0, login)];
      const attacks = attacked.map((email, number) => logIn(api, email, WRONG, addressOf(number)));
      statuses.push((await logIn(api, owner, TEST_PASSWORD, home(login))).statusCode);
      for (const { statusCode } of await Promise.all(attacks)) answersToAttackers.add(statusCode);
    }
    expect(statuses).toEqual(Array(12).fill(200));
    expect([...answersToAttackers]).toEqual(expect.arrayContaining([401, refusal]));
  },
);

const configuredTest = test.extend('options', () => {
  const deps = { passwords: quickHasher() };
  return { ...unlimited, deps };
});

/** Returns a hasher that compares passwords without hashing them. */
function quickHasher() {
  const turn = {
    hash: async () => 'a hash',
    matches: async (password: string) => password === TEST_PASSWORD,
    [Symbol.dispose]: () => {},
  };
  return { length: 0, takeTurn: () => turn };
}

configuredTest(
  'after ten wrong passwords for an account a network is refused, even with the right one; the owner gets in elsewhere',
  async ({ api, ana }) => {
    const statuses: number[] = [];
    for (let count = 0; count < 10; count += 1) {
      statuses.push((await logIn(api, ana.email, WRONG, ATTACKER)).statusCode);
    }
    expect(statuses).toEqual(Array(10).fill(401));
    const refused = await logIn(api, ana.email, TEST_PASSWORD, ATTACKER);
    expect(refused.json()).toMatchObject({
      status: 429,
      code: 'too_many_requests',
      detail: expect.stringContaining('from your network'),
    });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(800);
    const upper = await logIn(api, ana.email.toUpperCase(), TEST_PASSWORD, ATTACKER);
    expect(upper.statusCode).toBe(429);
    expect((await logIn(api, ana.email, TEST_PASSWORD, HOME)).statusCode).toBe(200);
    const other = await api.createUser('ben');
    expect((await logIn(api, other.email, TEST_PASSWORD, ATTACKER)).statusCode).toBe(200);
  },
);

configuredTest(
  'wrong passwords from any number of networks slow strangers down, and never the owner at a network of an earlier login',
  async ({ api, ana }) => {
    expect((await logIn(api, ana.email, TEST_PASSWORD, HOME)).statusCode).toBe(200);
    const statuses: number[] = [];
    for (let count = 0; count < 120; count += 1) {
      statuses.push((await logIn(api, ana.email, WRONG, `203.0.113.${count}`)).statusCode);
    }
    expect(statuses.slice(0, 101)).toEqual(Array(101).fill(401));
    expect(statuses.slice(101)).toEqual(Array(19).fill(429));
    const stranger = await logIn(api, ana.email, TEST_PASSWORD, '192.0.2.200');
    expect(stranger.json()).toMatchObject({
      status: 429,
      detail: expect.stringContaining('a network that you have used before'),
    });
    const wait = Number(stranger.headers['retry-after']);
    expect([wait > 0, wait <= 10]).toEqual([true, true]);
    for (let count = 0; count < 12; count += 1) {
      expect((await logIn(api, ana.email, TEST_PASSWORD, HOME)).statusCode).toBe(200);
    }
    const nobody = await logIn(api, 'nobody@example.org', WRONG, '192.0.2.200');
    expect(nobody.statusCode).toBe(401);
  },
);

configuredTest('the database holds no address of a login', async ({ api, ana }) => {
  await logIn(api, ana.email, TEST_PASSWORD, HOME);
  const stored = await db.findUserByEmail(api.deps.database, ana.email);
  expect(stored?.loginNetworks).toEqual([expect.stringMatching(/^[\w-]{22}$/)]);
});

configuredTest('the network of the sign-up counts as known', async ({ api }) => {
  const payload = { email: 'new@example.org', password: TEST_PASSWORD, name: 'New' };
  await api.app.inject({ method: 'POST', url: '/auth/signup', payload, remoteAddress: HOME });
  for (let count = 0; count < 102; count += 1) {
    await logIn(api, payload.email, WRONG, `203.0.113.${count}`);
  }
  expect((await logIn(api, payload.email, TEST_PASSWORD, '192.0.2.200')).statusCode).toBe(429);
  expect((await logIn(api, payload.email, TEST_PASSWORD, HOME)).statusCode).toBe(200);
});
