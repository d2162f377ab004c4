import { createTestDatabase, testMedia } from '@session/testing';
import { test } from 'vitest';
import { startTestApi, type TestApi, type TestApiOptions, UNREACHABLE } from './api.ts';

const NONE: TestApiOptions = {};

/**
 * A test of the whole API. It names the fixtures that it needs: `database`, one for all tests of its file; `api`, one for all tests of its
 * file without options, which fails the test at its end if an answer was not documented; `ana`, a user; `projectId` and
 * `sessionId`, a project of hers and a session in it. To give the API `options`, derive another test with `extend`: `override` would
 * change this one for all files of the worker.
 */
export const apiTest = test
  .extend('isMigrated', { scope: 'file' }, true)
  .extend('database', { scope: 'file' }, async ({ isMigrated }, { onCleanup }) => {
    const database = await createTestDatabase({ isMigrated });
    onCleanup(() => database[Symbol.asyncDispose]());
    return database;
  })
  .extend('databaseUrl', { scope: 'file' }, ({ database }) => database.url)
  .extend('shared', { scope: 'file' }, ({ databaseUrl }, { onCleanup }) => {
    let api: Promise<TestApi> | undefined;
    onCleanup(async () => await (await api)?.[Symbol.asyncDispose]());
    const open = async () => {
      api ??= startTestApi(databaseUrl);
      return await api;
    };
    return { open };
  })
  .extend('options', (): TestApiOptions => NONE)
  .extend('api', async ({ databaseUrl, shared, options }, { onCleanup }) => {
    const isShared = options === NONE;
    const api = isShared ? await shared.open() : await startTestApi(databaseUrl, options);
    onCleanup(() => (isShared ? api.expectDocumented() : api[Symbol.asyncDispose]()));
    return api;
  })
  .extend('ana', async ({ api }) => await api.createUser())
  .extend('projectId', async ({ api, ana }) => await api.createProject(ana))
  .extend('sessionId', async ({ api, ana, projectId }) => await api.createSession(ana, projectId));

/** As `apiTest`, with an API of its own for each test: for those that close it, add to it, or count what it has done. */
export const ownApiTest = apiTest.extend('options', () => ({}));

/** As `apiTest`, with the media server of the test run. */
export const apiTestWithMedia = apiTest.extend('options', () => ({ media: testMedia() }));

/** As `apiTest`, without a database. Costs less; requests that need the database are answered with 503. */
export const apiTestWithoutDatabase = apiTest.extend(
  'databaseUrl',
  { scope: 'file' },
  () => UNREACHABLE,
);

/** As `apiTestWithoutDatabase`, with an API of its own for each test. */
export const ownApiTestWithoutDatabase = apiTestWithoutDatabase.extend('options', () => ({}));
