import { expect } from 'vitest';
import { apiTest as test } from '../../testing/api-test.ts';
import {
  type CreateOnce,
  type CreatingRequest,
  inTurns,
  TURNS_BY_ACCOUNT,
  TURNS_BY_PATH,
} from './idempotency.ts';

function requestOf(userId: string, sessionId: string): CreatingRequest {
  return {
    isReplayed: false,
    caller: { kind: 'person' },
    userId,
    method: 'POST',
    routeOptions: { url: '/sessions/:sessionId/messages' },
    params: { sessionId },
    body: {},
    headers: {},
  };
}

/** Creations that run until `endOne` is called for each. `started` has their names in order. */
function openCreations(createOnce: CreateOnce) {
  const started: string[] = [];
  const running: (() => void)[] = [];
  const create = (name: string, request: CreatingRequest) =>
    createOnce(request, async () => {
      started.push(name);
      await new Promise<void>((resolve) => running.push(resolve));
    });
  const endOne = async () => {
    running.shift()?.();
    await new Promise(setImmediate);
  };
  const endAll = async (creations: readonly Promise<string>[]) => {
    while (started.length < creations.length || running.length > 0) await endOne();
    await Promise.all(creations);
  };
  return { started, create, endOne, endAll };
}

test('four of 20 creations of one account run at once, and delay another account by one', async ({
  api,
}) => {
  const { started, create, endOne, endAll } = openCreations(api.deps.createOnce);
  const createFor = (userId: string) => create(userId, requestOf(userId, 'any'));
  const creations = [...Array.from({ length: 20 }, () => createFor('ana')), createFor('ben')];
  expect(started).toEqual(Array.from({ length: 4 }, () => 'ana'));
  for (const turn of [1, 2]) {
    await endOne();
    await expect.poll(() => started).toHaveLength(4 + turn);
  }
  expect(started.slice(4).toSorted()).toEqual(['ana', 'ben']);
  await endAll(creations);
});

test('two of 20 texts in one session run at once, and delay no text in another session', async ({
  api,
}) => {
  const { started, create, endAll } = openCreations(api.deps.sayOnce);
  const say = (sessionId: string) => create(sessionId, requestOf('ana', sessionId));
  const texts = [...Array.from({ length: 20 }, () => say('busy')), say('other')];
  expect(started).toEqual(['busy', 'busy', 'other']);
  await endAll(texts);
});

test('the text of another sender in the session waits for one of 20, and not for all', async ({
  api,
}) => {
  const { started, create, endOne, endAll } = openCreations(api.deps.sayOnce);
  const say = (userId: string) => create(userId, requestOf(userId, 'busy'));
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
  ['text', TURNS_BY_PATH, 2],
] as const)('a %s that gets no turn in time creates nothing', async ([, turns, atOnce]) => {
  const running = Promise.withResolvers<string>();
  let asked = 0;
  const run = async () => {
    asked += 1;
    return await running.promise;
  };
  const createOnce = inTurns(run, turns, 20);
  const creations = Array.from({ length: atOnce + 2 }, () =>
    createOnce(requestOf('ana', 'any'), async () => {}),
  );
  const ends = Promise.allSettled(creations);
  const until = performance.now() + 40;
  while (performance.now() < until);
  running.resolve('id');
  const made = Array.from({ length: atOnce }, () => ({ status: 'fulfilled', value: 'id' }));
  const late = { status: 'rejected', reason: { code: 'unavailable' } };
  expect(await ends).toMatchObject([...made, late, late]);
  expect(asked).toBe(atOnce);
});
