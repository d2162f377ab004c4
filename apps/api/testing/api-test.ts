import { createTestDatabase, testMedia } from '@session/testing';
import { test } from 'vitest';
import { startTestApi, type TestApiOptions } from './api.ts';

/** A database that no API can reach: for tests of what needs none. */
const UNREACHABLE = 'postgres://nobody@127.0.0.1:1/none';

/**
 * A test of the whole API. It takes what it names: `database`, one for all tests of its file; `api`, one of its own, which
 * fails the test at its end if an answer was not documented; `ana`, a user. To give the API `options`, derive another test
 * with `extend`: `override` would change this one for all files of the worker.
 */
export const apiTest = test
  .extend('isMigrated', { scope: 'file' }, true)
  .extend('database', { scope: 'file' }, async ({ isMigrated }, { onCleanup }) => {
    const database = await createTestDatabase({ isMigrated });
    onCleanup(() => database[Symbol.asyncDispose]());
    return database;
  })
  .extend('options', (): TestApiOptions => ({}))
  .extend('api', async ({ database, options }, { onCleanup }) => {
    const api = await startTestApi(database.url, options);
    onCleanup(() => api[Symbol.asyncDispose]());
    return api;
  })
  .extend('ana', async ({ api }) => await api.createUser());

/** As `apiTest`, with the media server of the test run. */
export const apiTestWithMedia = apiTest.extend('options', () => ({ media: testMedia() }));

/** As `apiTest`, without a database: it costs less, and whatever asks the database is answered with 503. */
export const apiTestWithoutDatabase = apiTest.extend('api', async ({ options }, { onCleanup }) => {
  const api = await startTestApi(UNREACHABLE, options);
  onCleanup(() => api[Symbol.asyncDispose]());
  return api;
});
