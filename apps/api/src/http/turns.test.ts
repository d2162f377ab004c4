import { expect } from 'vitest';
import { apiTest as test } from '../../testing/api-test.ts';
import type { CreatingRequest } from './idempotency.ts';
import {
  openTurns,
  TURNS_BY_ACCOUNT,
  TURNS_BY_MEMBER,
  TURNS_BY_SESSION,
  TURNS_BY_WEBHOOK,
  TURNS_OF_PROJECT_CHANGES,
  TURNS_OF_REPLAYS,
} from './turns.ts';

function requestOf(userId: string): CreatingRequest {
  return {
    isReplayed: false,
    caller: { kind: 'person' },
    userId,
    tokenVersion: 0,
    method: 'POST',
    routeOptions: { url: '/sessions/:sessionId/messages' },
    params: {},
    body: {},
    headers: {},
  };
}

/** Work that runs until `endOne` is called for each. `started` has their names in order. */
function openWork() {
  const started: string[] = [];
  const running: (() => void)[] = [];
  const workOf = (name: string) => async () => {
    started.push(name);
    await new Promise<void>((resolve) => running.push(resolve));
  };
  const endOne = async () => {
    running.shift()?.();
    await new Promise(setImmediate);
  };
  const endAll = async (works: readonly Promise<unknown>[]) => {
    while (started.length < works.length || running.length > 0) await endOne();
    await Promise.all(works);
  };
  return { started, workOf, endOne, endAll };
}

test('three of 20 creations of one account run at once, and delay another account by one', async ({
  api,
}) => {
  const { started, workOf, endOne, endAll } = openWork();
  const createFor = (userId: string) => api.deps.createOnce(requestOf(userId), workOf(userId));
  const creations = [...Array.from({ length: 20 }, () => createFor('ana')), createFor('ben')];
  expect(started).toEqual(Array.from({ length: 3 }, () => 'ana'));
  for (const turn of [1, 2]) {
    await endOne();
    await expect.poll(() => started).toHaveLength(3 + turn);
  }
  expect(started.slice(3).toSorted()).toEqual(['ana', 'ben']);
  await endAll(creations);
});

test('two of 20 texts and changes in one session run at once, and delay none in another session', async ({
  api,
}) => {
  const { started, workOf, endAll } = openWork();
  const { inSessionTurn, sayOnce } = api.deps;
  const say = (sessionId: string) => sayOnce(sessionId, requestOf('ana'), workOf('text'));
  const change = (sessionId: string, userId: string) =>
    inSessionTurn(sessionId, userId, workOf('change'));
  const inOne = Array.from({ length: 10 }, () => [say('busy'), change('busy', 'ana')]).flat();
  expect(started).toEqual(['text', 'change']);
  const works = [...inOne, say('other'), change('other', 'ben')];
  expect(started).toEqual(['text', 'change', 'text', 'change']);
  await endAll(works);
});

test('20 changes of one account in 20 sessions delay no text, and no change of another account', async ({
  api,
}) => {
  const { started, workOf, endAll } = openWork();
  const { inSessionTurn, sayOnce } = api.deps;
  const change = (sessionId: string, userId: string) =>
    inSessionTurn(sessionId, userId, workOf(userId));
  const changes = Array.from({ length: 20 }, (_, index) => change(`session-${index}`, 'ana'));
  const works = [...changes, change('another', 'ben')];
  expect(started).toEqual(['ana', 'ana', 'ben']);
  for (const userId of ['cleo', 'dora']) {
    works.push(change(userId, userId));
    works.push(sayOnce(`of-${userId}`, requestOf(userId), workOf('text')).then(() => undefined));
  }
  expect(started).toEqual(['ana', 'ana', 'ben', 'text', 'text']);
  await endAll(works);
});

test('20 changes of one account in 20 projects delay no change of another account, and no creation', async ({
  api,
}) => {
  const { started, workOf, endAll } = openWork();
  const { createOnce, inProjectTurn } = api.deps;
  const change = (accountId: string, number: number) =>
    inProjectTurn(`project-${number}`, accountId, workOf(`change of ${accountId}`));
  const works = Array.from({ length: 20 }, (_, number) => change('ana', number));
  works.push(change('ben', 0));
  works.push(createOnce(requestOf('cleo'), workOf('creation')).then(() => undefined));
  expect(started).toEqual(['change of ana', 'change of ben', 'creation']);
  await endAll(works);
});

test('a change of a project waits for one of 20 creations of the same account, and not for all', async ({
  api,
}) => {
  const { started, workOf, endOne, endAll } = openWork();
  const { createOnce, inProjectTurn } = api.deps;
  const create = async () => void (await createOnce(requestOf('ana'), workOf('creation')));
  const works: Promise<void>[] = Array.from({ length: 20 }, create);
  works.push(inProjectTurn('one', 'ana', workOf('change')));
  for (const turn of [1, 2]) {
    await endOne();
    await expect.poll(() => started).toHaveLength(3 + turn);
  }
  expect(started.slice(3)).toEqual(['creation', 'change']);
  await endAll(works);
});

test('the text of another sender in the session waits for one of 20, and not for all', async ({
  api,
}) => {
  const { started, workOf, endOne, endAll } = openWork();
  const say = (userId: string) => api.deps.sayOnce('busy', requestOf(userId), workOf(userId));
  const texts = [...Array.from({ length: 20 }, () => say('ana')), say('ben')];
  for (const turn of [1, 2]) {
    await endOne();
    await expect.poll(() => started).toHaveLength(2 + turn);
  }
  expect(started.slice(2)).toEqual(['ana', 'ben']);
  await endAll(texts);
});

test('work that asked too long ago for its first of two turns does nothing in the second', async () => {
  const { started, workOf } = openWork();
  const inTurn = openTurns(TURNS_BY_SESSION, 20);
  const work = inTurn('busy', workOf('change'), 'ana', performance.now() - 1);
  await expect(work).rejects.toMatchObject({ code: 'unavailable' });
  expect(started).toEqual([]);
});

test.for([
  ['creation', TURNS_BY_ACCOUNT, 3],
  ['text', TURNS_BY_SESSION, 2],
  ['change', TURNS_BY_MEMBER, 2],
  ['change of a project', TURNS_OF_PROJECT_CHANGES, 1],
  ['replay', TURNS_BY_WEBHOOK, 1],
  ['first step of a replay', TURNS_OF_REPLAYS, 1],
] as const)('a %s that gets no turn in time does nothing', async ([, turns, atOnce]) => {
  const running = Promise.withResolvers<string>();
  let asked = 0;
  const run = async () => {
    asked += 1;
    return await running.promise;
  };
  const inTurn = openTurns(turns, 20);
  const works = Array.from({ length: atOnce + 2 }, () => inTurn('ana', run));
  const ends = Promise.allSettled(works);
  const until = performance.now() + 40;
  while (performance.now() < until);
  running.resolve('id');
  const made = Array.from({ length: atOnce }, () => ({ status: 'fulfilled', value: 'id' }));
  const late = { status: 'rejected', reason: { code: 'unavailable' } };
  expect(await ends).toMatchObject([...made, late, late]);
  expect(asked).toBe(atOnce);
});
