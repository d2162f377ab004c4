import * as db from '@session/db';
import { expect } from 'vitest';
import { apiTest as test } from '../../../testing/api-test.ts';

test('200 with the session under its new name, for any MEMBER, also when it is closed', async ({
  api,
  ana,
}) => {
  const ben = await api.createUser('ben');
  const projectId = await api.createProject(ana, [[ben, 'MEMBER']]);
  const id = await api.createSession(ana, projectId);
  const url = `/sessions/${id}`;
  const renamed = await api.inject(ben, { method: 'PATCH', url, payload: { name: ' new ' } });
  expect([renamed.statusCode, renamed.json()]).toMatchObject([200, { id, name: 'new' }]);
  const { createdAt, updatedAt } = renamed.json();
  expect(updatedAt > createdAt).toBe(true);
  expect((await api.inject(ana, { url })).json()).toEqual(renamed.json());
  await db.closeSession(api.deps.database, id, 'user');
  const late = await api.inject(ben, { method: 'PATCH', url, payload: { name: 'newer' } });
  expect(late.json()).toMatchObject({ name: 'newer', status: 'CLOSED' });
  const refused = await api.inject(ana, { method: 'PATCH', url, payload: { status: 'ACTIVE' } });
  expect(refused.statusCode).toBe(400);
});

test('200 with the keys of the metadata that the request sets or removes, and all others', async ({
  api,
  ana,
}) => {
  const url = `/sessions/${await api.createSession(ana)}`;
  const change = async (payload: object) =>
    await api.inject(ana, { method: 'PATCH', url, payload });
  await change({ metadata: { customer: 'c-17', channel: 'web' }, externalId: 'order' });
  const changed = await change({ metadata: { channel: null, note: 'late' } });
  expect([changed.statusCode, changed.json()]).toMatchObject([
    200,
    { name: 'session', metadata: { customer: 'c-17', note: 'late' }, externalId: 'order' },
  ]);
  expect(Object.keys(changed.json().metadata).toSorted()).toEqual(['customer', 'note']);
  expect((await change({ externalId: null })).json().externalId).toBeNull();
});

test('400 for more than 16 keys after the change, and 409 external_id_taken for that of another session', async ({
  api,
  ana,
}) => {
  const projectId = await api.createProject(ana);
  const [id, other] = [
    await api.createSession(ana, projectId),
    await api.createSession(ana, projectId),
  ];
  const change = async (session: string, payload: object) => {
    const url = `/sessions/${session}`;
    const answer = await api.inject(ana, { method: 'PATCH', url, payload });
    return [answer.statusCode, answer.json().code ?? answer.json().metadata];
  };
  const keys = Array.from({ length: 16 }, (_, n) => [`key${n}`, `${n}`]);
  await change(id, { metadata: Object.fromEntries(keys), externalId: 'order' });
  expect(await change(id, { metadata: { more: '' } })).toEqual([400, 'invalid_request']);
  expect(await change(id, { metadata: { more: '', key0: null } })).toEqual([
    200,
    { ...Object.fromEntries(keys.slice(1)), more: '' },
  ]);
  expect(await change(other, { externalId: 'order' })).toEqual([409, 'external_id_taken']);
  expect(await change(id, { externalId: 'order' })).toMatchObject([200, {}]);
});
