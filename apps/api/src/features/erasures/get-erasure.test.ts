import * as db from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { erase, erasureTest, finishErasures } from '../../../testing/erasure-test.ts';
import { erasureOf } from './erasure-schema.ts';

const test = erasureTest.extend('options', () => ({ env: { BACKUP_DAYS: '30' } }));

test('200 with the receipt: once the erasure is done, it has a digest and says when the last backup is gone', async ({
  api,
  ana,
  own,
  projectId,
  sessionId,
}) => {
  const { id } = await erase(api, ana, projectId, { sessionId, identity: 'user-1' });
  const find = async () => await api.inject(ana, { url: `/erasures/${id}` });
  expect((await find()).json()).toMatchObject({ backupsUntil: null });
  await finishErasures(api, own);
  const answer = await find();
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toMatchObject({
    id,
    status: 'done',
    digest: expect.stringMatching(/^[\da-f]{64}$/),
    finishedAt: expect.any(String),
  });
  const { backupsUntil, finishedAt } = answer.json();
  expect(Date.parse(backupsUntil) - Date.parse(finishedAt)).toBe(30 * 86_400_000);
  const page = await api.inject(ana, { url: `/projects/${projectId}/erasures` });
  expect(page.json().items).toMatchObject([{ backupsUntil }]);
  const { config, database } = api.deps;
  const row = await db.findErasure(database, { id, userId: ana.id });
  if (!row) throw new Error('the erasure is there');
  expect(config.backupDays).toBe(30);
  expect(erasureOf(row.erasure, undefined).backupsUntil).toBeNull();
});

test('404 for an unknown erasure', async ({ api, ana }) => {
  const answer = await api.inject(ana, { url: `/erasures/${uuidv7()}` });
  expect(answer.statusCode).toBe(404);
});
