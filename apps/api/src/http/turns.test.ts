import { expect } from 'vitest';
import { apiTest as test } from '../../testing/api-test.ts';
import type { CreatingRequest } from './idempotency.ts';
import { openTurns, TURNS_BY_ACCOUNT, TURNS_BY_SESSION, TURNS_BY_WEBHOOK } from './turns.ts';

function requestOf(userId: string): CreatingRequest {
  return {
    isReplayed: false,
    caller: { kind: 'person' },
    userId,
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

test('four of 20 creations of one account run at once, and delay another account by one', async ({
  api,
}) => {
  const { started, workOf, endOne, endAll } = openWork();
  const createFor = (userId: string) => api.deps.createOnce(requestOf(userId), workOf(userId));
  const creations = [...Array.from({ length: 20 }, () => createFor('ana')), createFor('ben')];
  expect(started).toEqual(Array.from({ length: 4 }, () => 'ana'));
  for (const turn of [1, 2]) {
    await endOne();
    await expect.poll(() => started).toHaveLength(4 + turn);
  }
  expect(started.slice(4).toSorted()).toEqual(['ana', 'ben']);
  await endAll(creations);
});

test('two of 20 texts and changes in one session run at once, and delay none in another session', async ({
  api,
}) => {
  const { started, workOf, endAll } = openWork();
  const { inSessionTurn, sayOnce } = api.deps;
  const say = (sessionId: string) => sayOnce(sessionId, requestOf('ana'), workOf('text'));
  const change = (sessionId: string) => inSessionTurn(sessionId, 'ana', workOf('change'));
  const inOne = Array.from({ length: 10 }, () => [say('busy'), change('busy')]).flat();
  expect(started).toEqual(['text', 'change']);
  const works = [...inOne, say('other'), change('other')];
  expect(started).toEqual(['text', 'change', 'text', 'change']);
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

test.for([
  ['creation', TURNS_BY_ACCOUNT, 4],
  ['text', TURNS_BY_SESSION, 2],
  ['replay', TURNS_BY_WEBHOOK, 1],
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
