import * as db from '@session/db';
import { openDatabase } from '@session/db';
import { vi } from 'vitest';
import { startTestApi, type TestUser } from './api.ts';
import { apiTest } from './api-test.ts';

/** The API's requests wait for locks without a limit: `whileLocked` holds the first until the last has come. */
const memberApiTest = apiTest.extend('api', async ({ database, options }, { onCleanup }) => {
  const api = await startTestApi(`${database.url}?lock_timeout=0`, options);
  onCleanup(() => api[Symbol.asyncDispose]());
  return api;
});

type Method = 'DELETE' | 'GET' | 'PATCH' | 'POST';

/** As `apiTest`, with `team`: a project with an OWNER, an ADMIN and a MEMBER, and a user who is not a member. */
export const memberTest = memberApiTest.extend('team', async ({ api, database, ana }) => {
  const [ben, cleo, eve] = [
    await api.createUser('ben'),
    await api.createUser('cleo'),
    await api.createUser('eve'),
  ];
  const projectId = await api.createProject(ana, [
    [ben, 'ADMIN'],
    [cleo, 'MEMBER'],
  ]);
  return {
    owner: ana,
    admin: ben,
    member: cleo,
    stranger: eve,
    projectId,
    /** Sends a request to the project's members as `user`. */
    ask: async (user: TestUser, method: Method, path: string, payload?: object) =>
      await api.inject(user, {
        method,
        url: `/projects/${projectId}/members${path}`,
        ...(payload && { payload }),
      }),
    roleOf: async ({ id }: TestUser) =>
      (await db.findMembership(api.deps.database, { projectId, userId: id }))?.memberRole,
    /**
     * Does `work` while its project is locked against changes of members, until `count` requests wait for the lock. Its holder
     * does `last` before it ends.
     */
    async whileLocked<T>(
      count: number,
      work: () => Promise<T>,
      last: (sql: db.DatabaseAccess['sql']) => Promise<unknown> = async () => {},
    ): Promise<T> {
      // The transaction is idle while the requests arrive.
      const url = `${database.url}?idle_in_transaction_session_timeout=0`;
      await using own = openDatabase(url, { connections: 2 });
      const waiting = () => own.sql`
        select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
      const { promise } = await own.sql.begin(async (transaction) => {
        await transaction`select id from projects where id = ${projectId} for no key update`;
        const working = work();
        await vi.waitUntil(async () => (await waiting()).length === count, { timeout: 15_000 });
        await last(transaction);
        return { promise: working };
      });
      return await promise;
    },
  };
});
