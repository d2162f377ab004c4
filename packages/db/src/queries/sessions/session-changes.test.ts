import { expect } from 'vitest';
import { test } from '../../../testing/project-test.ts';
import { markSessionDeleted } from './deletions.ts';
import { updateSession } from './session-changes.ts';
import { closeSession } from './session-end.ts';
import { findSession } from './sessions.ts';

test('a name is changed with its time, also of a CLOSED session, and not of a deleted one', async ({
  project,
}) => {
  const { sql, userId } = project;
  const [active = '', closed = '', deleted = ''] = await project.newSessions(3);
  await closeSession(project, closed, 'user');
  await sql`update sessions set deleted_at = now() where id = ${deleted}`;
  await sql`update sessions set updated_at = '2026-11-21T08:00:00Z'`;
  const changes = [active, closed, deleted].map((id) =>
    updateSession(project, id, { name: 'renamed' }, 16),
  );
  expect(await Promise.all(changes)).toEqual([true, true, false]);
  for (const id of [active, closed]) {
    const session = await findSession(project, { id, userId });
    expect(session?.name).toBe('renamed');
    expect(session?.updatedAt).not.toBe('2026-11-21T08:00:00.000Z');
  }
  expect(await sql`select name from sessions where id = ${deleted}`).toEqual([{ name: 'a talk' }]);
});

test('a change keeps what it does not name, sets and removes keys of the metadata, and removes the external id', async ({
  project,
}) => {
  const { userId } = project;
  const id = await project.newSession();
  const read = async () => {
    const { name, metadata, externalId } = (await findSession(project, { id, userId })) ?? {};
    return [name, metadata, externalId];
  };
  await updateSession(project, id, { metadata: { a: '1', b: '2' }, externalId: 'x' }, 16);
  expect(await read()).toEqual(['a talk', { a: '1', b: '2' }, 'x']);
  await updateSession(project, id, { metadata: { b: null, c: '' }, name: 'b' }, 16);
  expect(await read()).toEqual(['b', { a: '1', c: '' }, 'x']);
  await updateSession(project, id, { externalId: null }, 16);
  expect(await read()).toEqual(['b', { a: '1', c: '' }, null]);
});

test('of changes at the same moment each sets its key, and no session has more keys than it may', async ({
  project,
}) => {
  const { userId } = project;
  const id = await project.newSession();
  const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const changed = await Promise.all(
    keys.map((key) => updateSession(project, id, { metadata: { [key]: key } }, 5)),
  );
  const session = await findSession(project, { id, userId });
  const stored = keys.filter((_, index) => changed[index]);
  expect(stored).toHaveLength(5);
  expect(session?.metadata).toEqual(Object.fromEntries(stored.map((key) => [key, key])));
  const [first = ''] = stored;
  expect(await updateSession(project, id, { metadata: { [first]: null, z: 'z' } }, 5)).toBe(true);
});

test('an external id belongs to one session of a project, until that is deleted', async ({
  project,
}) => {
  const [former = '', later = ''] = await project.newSessions(2);
  await updateSession(project, former, { externalId: 'x' }, 16);
  const again = () => updateSession(project, later, { externalId: 'x' }, 16);
  await expect(again()).rejects.toMatchObject({ code: '23505' });
  await markSessionDeleted(project, former);
  expect(await again()).toBe(true);
});
