import * as db from '@session/db';
import { DatabaseProxy } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { answeredDatabase } from '../../../testing/answered-database.ts';
import { startTestApi, type TestApi, type TestUser } from '../../../testing/api.ts';
import { apiTest } from '../../../testing/api-test.ts';
import { forgetEndedTokens } from '../../background/housekeeping/deleted-rows.ts';
import {
  EndedTokens,
  type EndedTokensOptions,
  rememberedSeconds,
  storedSeconds,
} from './ended-tokens.ts';

const NEVER_MS = 3_600_000;
const LIFETIME_SECONDS = 600;

async function statusOf(api: TestApi, user: TestUser): Promise<number> {
  return (await api.inject(user, { url: '/agent-types' })).statusCode;
}

function tokensOf(database: db.DatabaseAccess): EndedTokensOptions['tokens'] {
  const { listEndedTokens, listNewlyEndedTokens } = db;
  return db.bind(database, { listEndedTokens, listNewlyEndedTokens });
}

function endedTokensOf(
  database: db.DatabaseAccess,
  timing: NonNullable<EndedTokensOptions['timing']>,
): EndedTokens {
  return new EndedTokens({
    tokens: tokensOf(database),
    lifetimeSeconds: LIFETIME_SECONDS,
    timing,
  });
}

apiTest(
  '401 from every API for a token that was verified before its version ended; 200 for the next one and for others',
  async ({ api, ana, database }) => {
    await using other = await startTestApi(database.url);
    const ben = await api.createUser('ben');
    for (const one of [api, other]) {
      expect([await statusOf(one, ana), await statusOf(one, ben)]).toEqual([200, 200]);
    }
    const version = await db.endTokens(api.deps.database, ana.id);
    for (const one of [api, other]) await expect.poll(() => statusOf(one, ana)).toBe(401);
    const next = { ...ana, token: api.app.jwt.sign({ sub: ana.id, v: version ?? 0 }) };
    for (const one of [api, other]) {
      expect([await statusOf(one, next), await statusOf(one, ben)]).toEqual([200, 200]);
    }
    const refused = await api.inject(ana, { url: '/agent-types' });
    expect(refused.json()).toMatchObject({ code: 'unauthorized' });
  },
);

apiTest(
  '401 at once from an API that has just started, for tokens that ended before',
  async ({ api, ana, database }) => {
    await db.endTokens(api.deps.database, ana.id);
    await using late = await startTestApi(database.url);
    expect(await statusOf(late, ana)).toBe(401);
  },
);

apiTest(
  'the list is read before the first request and when listening begins, and no request reads it',
  async ({ ana, database }) => {
    await using own = db.openDatabase(database.url, { connections: 1 });
    const reads: string[] = [];
    const noted = answeredDatabase(own, (name) => {
      reads.push(name);
      return undefined;
    });
    const endedTokens = new EndedTokens({
      tokens: tokensOf(noted),
      lifetimeSeconds: LIFETIME_SECONDS,
    });
    await using api = await startTestApi(database.url, { deps: { endedTokens } });
    expect(reads).toEqual([]);
    await api.app.ready();
    expect(reads[0]).toBe('list_ended_tokens');
    await expect.poll(() => reads).toHaveLength(2);
    for (let count = 0; count < 3; count += 1) expect(await statusOf(api, ana)).toBe(200);
    await endedTokens[Symbol.asyncDispose]();
    expect(reads).toHaveLength(2);
  },
);

apiTest(
  'a version whose notification was lost is found by the next read, while nothing listens',
  async ({ api, ana }) => {
    const { database } = api.deps;
    await using endedTokens = endedTokensOf(database, { everyMs: 20 });
    await endedTokens.start();
    endedTokens.assertCurrent(ana.id, 0);
    await db.endTokens(database, ana.id);
    await expect.poll(() => isCurrent(endedTokens, ana.id, 0)).toBe(false);
  },
);

apiTest(
  'a listener that was cut reads everything when it listens again',
  async ({ api, ana, database }) => {
    const { database: access } = api.deps;
    await using proxy = await DatabaseProxy.open(database.url);
    await using endedTokens = endedTokensOf(access, { everyMs: NEVER_MS });
    await endedTokens.start();
    await using _ = db.listenForChanges(proxy.url, ['caller_changed'], endedTokens);
    await expect.poll(() => proxy.connectionCount).toBe(1);
    const first = await db.endTokens(access, ana.id);
    await expect.poll(() => isCurrent(endedTokens, ana.id, 0)).toBe(false);
    await proxy.refuseConnections();
    const second = await db.endTokens(access, ana.id);
    expect(isCurrent(endedTokens, ana.id, first ?? 0)).toBe(true);
    await proxy.acceptConnections();
    await expect.poll(() => isCurrent(endedTokens, ana.id, first ?? 0)).toBe(false);
    expect(isCurrent(endedTokens, ana.id, second ?? 0)).toBe(true);
  },
);

apiTest(
  '200 for an erased end user who returns when all former tokens have expired, from an API that started meanwhile',
  async ({ api, ana, database, projectId, sessionId }) => {
    const { config, database: access } = api.deps;
    const { lifetimeSeconds } = config.jwt;
    const key = await api.createKey(projectId);
    const letIn = async () => await api.createParticipant(key, sessionId, 'customer-7');
    const { id } = await letIn();
    await db.forgetEndUser(access, { id, projectId });
    const age = async (seconds: number) => {
      await access.sql`
        update ended_tokens set ended_at = now() - ${seconds} * interval '1 s' where user_id = ${id}`;
    };
    await age(rememberedSeconds(lifetimeSeconds) + 1);
    expect(await forgetEndedTokens(api.deps)).toEqual([]);
    await using late = await startTestApi(database.url);
    expect(await statusOf(late, ana)).toBe(200);
    await age(storedSeconds(lifetimeSeconds) + 1);
    expect(await forgetEndedTokens(api.deps)).toEqual(['of 1 users']);
    const returned = await letIn();
    expect(returned.id).toBe(id);
    const answer = await late.inject(returned, { url: `/sessions/${sessionId}` });
    expect(answer.statusCode).toBe(200);
  },
);

/** Returns ended tokens that read the test's list, with a clock that the test sets. */
function handDriven() {
  const list: { rows: db.EndedTokensRow[] | Error; now: number } = { rows: [], now: 0 };
  const asked: ('all' | 'new')[] = [];
  const read = async (which: 'all' | 'new') => {
    asked.push(which);
    if (list.rows instanceof Error) throw list.rows;
    return list.rows;
  };
  const endedTokens = new EndedTokens({
    tokens: { listEndedTokens: () => read('all'), listNewlyEndedTokens: () => read('new') },
    lifetimeSeconds: LIFETIME_SECONDS,
    timing: { everyMs: 1, retryMs: 1 },
    now: () => list.now,
  });
  const untilRead = async () => {
    const { length } = asked;
    await expect.poll(() => asked.length).toBeGreaterThan(length + 1);
  };
  return { list, asked, endedTokens, untilRead };
}

test('503 until the list was read, and when it is older than 15 s; then everything is read again', async () => {
  const { list, asked, endedTokens, untilRead } = handDriven();
  await using _ = endedTokens;
  const userId = uuidv7();
  list.rows = new Error('away');
  await endedTokens.start();
  const unavailable = expect.objectContaining({ code: 'unavailable' });
  expect(() => endedTokens.assertCurrent(userId, 0)).toThrow(unavailable);
  list.rows = [];
  await expect.poll(() => isCurrent(endedTokens, userId, 0)).toBe(true);
  list.rows = new Error('away');
  await untilRead();
  list.now += 15_000;
  expect(isCurrent(endedTokens, userId, 0)).toBe(true);
  await untilRead();
  expect(asked.at(-1)).toBe('new');
  list.now += 1;
  expect(() => endedTokens.assertCurrent(userId, 0)).toThrow(unavailable);
  await untilRead();
  expect(asked.at(-1)).toBe('all');
  list.rows = [{ userId, version: 1, ageSeconds: 0 }];
  await expect.poll(() => isCurrent(endedTokens, uuidv7(), 0)).toBe(true);
  expect(isCurrent(endedTokens, userId, 0)).toBe(false);
});

test('a read that comes late revives no token: the greater version stays', async () => {
  const { list, endedTokens, untilRead } = handDriven();
  await using _ = endedTokens;
  const userId = uuidv7();
  list.rows = [{ userId, version: 1, ageSeconds: 0 }];
  await endedTokens.start();
  endedTokens.note(userId, 3);
  await untilRead();
  expect([2, 3].map((version) => isCurrent(endedTokens, userId, version))).toEqual([false, true]);
});

test('each ended version is told once, however often it is read', async () => {
  const { list, endedTokens, untilRead } = handDriven();
  await using _ = endedTokens;
  const told: string[] = [];
  endedTokens.onEnded((userId, version) => told.push(`${userId} ${version}`));
  list.rows = [{ userId: 'ana', version: 1, ageSeconds: 0 }];
  await endedTokens.start();
  await untilRead();
  endedTokens.note('ana', 2);
  endedTokens.note('ana', 1);
  expect(told).toEqual(['ana 1', 'ana 2']);
});

test('a version is forgotten when no token of it can be valid any more, and not before', async () => {
  const { list, endedTokens, untilRead } = handDriven();
  await using _ = endedTokens;
  const [old, young] = [uuidv7(), uuidv7()];
  await endedTokens.start();
  endedTokens.note(old, 1);
  list.now += 1000;
  endedTokens.note(young, 1);
  const isRemembered = (userId: string) => !isCurrent(endedTokens, userId, 0);
  list.now = rememberedSeconds(LIFETIME_SECONDS) * 1000 - 1;
  await untilRead();
  expect([isRemembered(old), isRemembered(young)]).toEqual([true, true]);
  list.now += 1;
  await untilRead();
  expect([isRemembered(old), isRemembered(young)]).toEqual([false, true]);
});

test('a version is forgotten by its age in the database, however late and often it is read', async () => {
  const { list, endedTokens, untilRead } = handDriven();
  await using _ = endedTokens;
  const userId = uuidv7();
  const isRemembered = () => !isCurrent(endedTokens, userId, 0);
  list.rows = [{ userId, version: 1, ageSeconds: rememberedSeconds(LIFETIME_SECONDS) - 1 }];
  await endedTokens.start();
  expect(isRemembered()).toBe(true);
  list.now = 999;
  await untilRead();
  expect(isRemembered()).toBe(true);
  list.rows = [];
  list.now = 1000;
  await untilRead();
  expect(isRemembered()).toBe(false);
});

function isCurrent(endedTokens: EndedTokens, userId: string, version: number): boolean {
  try {
    endedTokens.assertCurrent(userId, version);
    return true;
  } catch {
    return false;
  }
}
