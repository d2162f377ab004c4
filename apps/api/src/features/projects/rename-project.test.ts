import * as db from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { apiTest as test } from '../../../testing/api-test.ts';

test('200 with the project under its new name, which every later read has', async ({
  api,
  ana,
}) => {
  const url = `/projects/${await api.createProject(ana)}`;
  const renamed = await api.inject(ana, { method: 'PATCH', url, payload: { name: ' new ' } });
  expect([renamed.statusCode, renamed.json()]).toMatchObject([200, { name: 'new' }]);
  expect((await api.inject(ana, { url })).json()).toEqual(renamed.json());
  for (const payload of [
    { name: null },
    { name: ' ' },
    { name: 'x'.repeat(101) },
    { name: 'x', id: 'y' },
  ]) {
    expect((await api.inject(ana, { method: 'PATCH', url, payload })).statusCode).toBe(400);
  }
});

test('200 with how long histories are kept, which only an OWNER decides', async ({ api, ana }) => {
  const projectId = await api.createProject(ana);
  const url = `/projects/${projectId}`;
  const change = async (payload: object) =>
    await api.inject(ana, { method: 'PATCH', url, payload });
  expect((await api.inject(ana, { url })).json()).toMatchObject({ retentionDays: null });
  const limited = await change({ name: 'new', retentionDays: 30 });
  expect([limited.statusCode, limited.json()]).toMatchObject([
    200,
    { name: 'new', retentionDays: 30 },
  ]);
  expect((await change({ name: 'newer' })).json()).toMatchObject({ retentionDays: 30 });
  expect((await change({})).json()).toMatchObject({ name: 'newer', retentionDays: 30 });
  expect((await change({ retentionDays: null })).json()).toMatchObject({ retentionDays: null });
  for (const retentionDays of [0, -1, 1.5, 3651, '30', {}]) {
    expect((await change({ retentionDays })).statusCode).toBe(400);
  }
  const ben = await api.createUser();
  const admin = { id: uuidv7(), userId: ben.id, projectId, role: 'ADMIN' } as const;
  await db.insertMembership(api.deps.database, admin);
  const by = async (payload: object) =>
    (await api.inject(ben, { method: 'PATCH', url, payload })).statusCode;
  expect(await by({ name: 'by ben', retentionDays: 1 })).toBe(403);
  expect(await by({ name: 'by ben' })).toBe(200);
  const found = (await api.inject(ana, { url })).json();
  expect(found).toMatchObject({ name: 'by ben', retentionDays: null });
});

test('403 for how long histories are kept: an ADMIN asks for a higher role, which no API key can have', async ({
  api,
  ana,
}) => {
  const ben = await api.createUser('ben');
  const projectId = await api.createProject(ana, [[ben, 'ADMIN']]);
  const key = await api.createKey(projectId, 'ADMIN');
  const url = `/projects/${projectId}`;
  const detailFor = async (user: typeof ben) => {
    const payload = { retentionDays: 30 };
    const answer = await api.inject(user, { method: 'PATCH', url, payload });
    expect(answer.statusCode).toBe(403);
    return answer.json().detail;
  };
  expect(await detailFor(ben)).toContain('Ask an OWNER for a higher role.');
  expect(await detailFor(key)).toBe(
    'This requires the role OWNER in the project, which no API key can have: an OWNER must do it.',
  );
});

test('200 with the language of the search, which an ADMIN chooses', async ({ api, ana }) => {
  const projectId = await api.createProject(ana);
  const url = `/projects/${projectId}`;
  const ben = await api.createUser();
  const admin = { id: uuidv7(), userId: ben.id, projectId, role: 'ADMIN' } as const;
  await db.insertMembership(api.deps.database, admin);
  const change = async (payload: object) =>
    await api.inject(ben, { method: 'PATCH', url, payload });
  expect((await change({ searchLanguage: 'german' })).json()).toMatchObject({
    searchLanguage: 'german',
  });
  expect((await change({ name: 'new' })).json()).toMatchObject({ searchLanguage: 'german' });
  for (const searchLanguage of ['', 'simple', 'klingon', 1]) {
    expect((await change({ searchLanguage })).statusCode).toBe(400);
  }
  expect((await change({ searchLanguage: null })).json()).toMatchObject({ searchLanguage: null });
});

test('500 when one of both fails, and nothing is changed, so no half of a change stays', async ({
  api,
  ana,
}) => {
  const { sql } = api.deps.database;
  const url = `/projects/${await api.createProject(ana)}`;
  const before = (await api.inject(ana, { url })).json();
  await sql`alter table projects add constraint short check (retention_days < 60)`;
  const payload = { name: 'half', retentionDays: 90 };
  expect((await api.inject(ana, { method: 'PATCH', url, payload })).statusCode).toBe(500);
  expect((await api.inject(ana, { url })).json()).toEqual(before);
  expect((await api.inject(ana, { url: `${url}/audit` })).json()).toMatchObject({ items: [] });
  await sql`alter table projects drop constraint short`;
});
