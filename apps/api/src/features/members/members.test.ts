import type { MemberRole } from '@session/contract';
import { openDatabase } from '@session/db';
import { createTestDatabase } from '@session/testing';
import { expect, test, vi } from 'vitest';
import { startTestApi, type TestUser } from '../../../testing/api.ts';

test('201 with the user of an e-mail address as a MEMBER, and 409 when they are one', async () => {
  await using setting = await openSetting();
  const { ana, eve, projectId } = setting;
  const payload = { email: ` ${eve.email.toUpperCase()} ` };
  const added = await setting.ask(ana, 'POST', '', payload);
  expect([added.statusCode, added.json()]).toEqual([
    201,
    {
      id: expect.stringMatching(/^.{14}7/),
      userId: eve.id,
      projectId,
      role: 'MEMBER',
      user: { id: eve.id, email: eve.email, name: eve.name },
    },
  ]);
  expect(added.headers.location).toBe(`/projects/${projectId}/members/${eve.id}`);
  const again = await setting.ask(ana, 'POST', '', { ...payload, role: 'OWNER' });
  expect([again.statusCode, again.json().code]).toEqual([409, 'already_member']);
  expect(await setting.roleOf(eve)).toBe('MEMBER');
  const nobody = await setting.ask(ana, 'POST', '', { email: 'nobody@example.org' });
  expect([nobody.statusCode, nobody.json().code]).toEqual([404, 'user_not_found']);
});

test('200 with the members, the oldest first, a page at a time', async () => {
  await using setting = await openSetting();
  const { ana, ben, cleo } = setting;
  const first = (await setting.ask(ben, 'GET', '?limit=2')).json();
  expect(first).toMatchObject({
    items: [
      { userId: ana.id, role: 'OWNER', user: { email: ana.email } },
      { userId: ben.id, role: 'ADMIN' },
    ],
    nextCursor: first.items[1].id,
  });
  const second = (await setting.ask(ben, 'GET', `?limit=2&cursor=${first.nextCursor}`)).json();
  expect(second).toMatchObject({ items: [{ userId: cleo.id }], nextCursor: null });
});

test('200 in another role, for an OWNER alone; 404 for who is no member', async () => {
  await using setting = await openSetting();
  const { ana, ben, cleo, eve } = setting;
  const changed = await setting.ask(ana, 'PATCH', `/${cleo.id}`, { role: 'ADMIN' });
  expect([changed.statusCode, changed.json()]).toMatchObject([
    200,
    { userId: cleo.id, role: 'ADMIN', user: { email: cleo.email } },
  ]);
  expect(await setting.roleOf(cleo)).toBe('ADMIN');
  const byAdmin = await setting.ask(ben, 'PATCH', `/${cleo.id}`, { role: 'MEMBER' });
  expect(byAdmin.json().code).toBe('forbidden');
  const absent = await setting.ask(ana, 'PATCH', `/${eve.id}`, { role: 'MEMBER' });
  expect([absent.statusCode, absent.json().code]).toEqual([404, 'not_found']);
});

// Who adds whom, or removes whom: the outcome.
const rules: ['ADMIN' | 'MEMBER' | 'OWNER', MemberRole, number, number][] = [
  ['MEMBER', 'MEMBER', 403, 403],
  ['ADMIN', 'MEMBER', 201, 204],
  ['ADMIN', 'ADMIN', 403, 403],
  ['ADMIN', 'OWNER', 403, 403],
  ['OWNER', 'ADMIN', 201, 204],
  ['OWNER', 'OWNER', 201, 204],
];

test.each(rules)('a %s adds a %s: %i, and removes one: %i', async (by, role, added, removed) => {
  await using setting = await openSetting();
  const caller = { MEMBER: setting.cleo, ADMIN: setting.ben, OWNER: setting.ana }[by];
  const { eve } = setting;
  const post = await setting.ask(caller, 'POST', '', { email: eve.email, role });
  expect(post.statusCode).toBe(added);
  if (added === 403) await setting.ask(setting.ana, 'POST', '', { email: eve.email, role });
  const remove = await setting.ask(caller, 'DELETE', `/${eve.id}`);
  expect([remove.statusCode, remove.body === '']).toEqual([removed, removed === 204]);
  expect(await setting.roleOf(eve)).toBe(removed === 204 ? undefined : role);
});

test('204 for whoever leaves, 404 for all of the project from then on; the last owner stays: 409', async () => {
  await using setting = await openSetting();
  const { ana, ben, cleo, projectId } = setting;
  for (const user of [ben, cleo]) {
    expect((await setting.ask(user, 'DELETE', `/${user.id}`)).statusCode).toBe(204);
    const gone = await setting.api.inject(user, { url: `/projects/${projectId}` });
    expect(gone.statusCode).toBe(404);
  }
  const left = await setting.ask(ana, 'DELETE', `/${ana.id}`);
  expect([left.statusCode, left.json().code]).toEqual([409, 'last_owner']);
  const demoted = await setting.ask(ana, 'PATCH', `/${ana.id}`, { role: 'ADMIN' });
  expect([demoted.statusCode, demoted.json().code]).toEqual([409, 'last_owner']);
  const kept = await setting.ask(ana, 'PATCH', `/${ana.id}`, { role: 'OWNER' });
  expect([kept.statusCode, await setting.roleOf(ana)]).toEqual([200, 'OWNER']);
});

test('one owner stays, however many go at the same moment', async () => {
  await using setting = await openSetting();
  const owners = [setting.ana];
  for (let count = 0; count < 5; count += 1) {
    const user = await setting.api.createUser();
    await setting.ask(setting.ana, 'POST', '', { email: user.email, role: 'OWNER' });
    owners.push(user);
  }
  const go = async (owner: TestUser, index: number) =>
    index % 2 === 0
      ? await setting.ask(owner, 'DELETE', `/${owner.id}`)
      : await setting.ask(owner, 'PATCH', `/${owner.id}`, { role: 'MEMBER' });
  const answers = await setting.whileHeld(owners.length, () => Promise.all(owners.map(go)));
  const statuses = answers.map(({ statusCode }) => statusCode);
  expect(statuses.filter((status) => status === 409)).toHaveLength(1);
  expect(statuses.filter((status) => status < 300)).toHaveLength(5);
  const roles = await Promise.all(owners.map((owner) => setting.roleOf(owner)));
  expect(roles.filter((role) => role === 'OWNER')).toHaveLength(1);
});

/** A project with an OWNER, an ADMIN and a MEMBER, and a user who is none of them. */
async function openSetting() {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createTestDatabase());
  const api = stack.use(await startTestApi(database.url));
  const [ana, ben, cleo, eve] = [
    await api.createUser(),
    await api.createUser('ben'),
    await api.createUser('cleo'),
    await api.createUser('eve'),
  ];
  const projectId = await api.createProject(ana, [
    [ben, 'ADMIN'],
    [cleo, 'MEMBER'],
  ]);
  const owned = stack.move();
  type Method = 'DELETE' | 'GET' | 'PATCH' | 'POST';
  return {
    api,
    ana,
    ben,
    cleo,
    eve,
    projectId,
    ask: async (user: TestUser, method: Method, path: string, payload?: object) =>
      await api.inject(user, { method, url: `/projects/${projectId}/members${path}`, payload }),
    roleOf: async ({ id }: TestUser) =>
      (await api.deps.memberships.findMembership({ projectId, userId: id }))?.memberRole,
    /** Does `work` while nobody can change the project's members, until `count` wait for that; gives what it gave. */
    async whileHeld<T>(count: number, work: () => Promise<T>): Promise<T> {
      await using own = openDatabase(database.url, { connections: 2 });
      const { promise } = await own.sql.begin(async (transaction) => {
        await transaction`select id from projects for no key update`;
        const working = work();
        await vi.waitFor(async () => {
          const waiting = await own.sql`
            select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
          expect(waiting).toHaveLength(count);
        });
        return { promise: working };
      });
      return await promise;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
