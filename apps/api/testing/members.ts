import { openDatabase } from '@session/db';
import { vi } from 'vitest';
import type { TestUser } from './api.ts';
import { apiTest } from './api-test.ts';

type Method = 'DELETE' | 'GET' | 'PATCH' | 'POST';

/** As `apiTest`, with `team`: a project with an OWNER, an ADMIN and a MEMBER, and a user who is not a member. */
export const memberTest = apiTest.extend('team', async ({ api, database, ana }) => {
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
      (await api.deps.memberships.findMembership({ projectId, userId: id }))?.memberRole,
    /** Does `work` while its project is locked against changes of members, until `count` requests wait for the lock. */
    async whileLocked<T>(count: number, work: () => Promise<T>): Promise<T> {
      await using own = openDatabase(database.url, { connections: 2 });
      const { promise } = await own.sql.begin(async (transaction) => {
        await transaction`select id from projects where id = ${projectId} for no key update`;
        const working = work();
        await vi.waitFor(async () => {
          const waiting = await own.sql`
            select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
          if (waiting.length !== count) throw new Error(`${waiting.length} of ${count} wait`);
        });
        return { promise: working };
      });
      return await promise;
    },
  };
});
