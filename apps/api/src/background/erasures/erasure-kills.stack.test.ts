import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as db from '@session/db';
import { createTestDatabase } from '@session/testing';
import { expect, test } from 'vitest';
import { startTestApi } from '../../../testing/api.ts';
import { startApi } from '../../../testing/api-process.ts';
import { erase, said } from '../../../testing/erasure-test.ts';

/**
 * Their erasure takes at least 3 s: each moves the session's clock by a millisecond, and that clock stays within a
 * second of the real time.
 */
const MESSAGES = 4000;

test('an erasure in whose middle the leading API is killed is finished by another, and its receipt tells all of it', async () => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createTestDatabase());
  const folder = await mkdtemp(path.join(tmpdir(), 'erasures-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const api = stack.use(await startTestApi(database.url));
  const ana = await api.createUser();
  const projectId = await api.createProject(ana);
  const sessionId = await api.createSession(ana, projectId);
  const { sql } = api.deps.database;
  const messages = Array.from({ length: MESSAGES }, (_, number) =>
    said(sessionId, `zanzibar ${number}`),
  );
  await db.appendMessages(api.deps.database, [...messages, said(sessionId, 'kept', 'user-2')]);
  const leader = stack.use(await startApi(database.url, folder));
  await expect.poll(async () => await sql`select from leases`).toHaveLength(1);
  stack.use(await startApi(database.url, folder));
  // Each message has taken a millisecond of the session's clock, and what is 2 s later than the request is not erased.
  const ahead = async () => await sql`select from messages where "timestamp" > now() limit 1`;
  await expect.poll(ahead).toEqual([]);
  const { id } = await erase(api, ana, projectId, { sessionId, identity: 'user-1' });
  const countErased = async () =>
    (await sql`select from messages where session_id = ${sessionId} and erased_at is not null`)
      .length;
  await expect.poll(countErased, { interval: 20 }).toBeGreaterThan(0);
  await leader.end('SIGKILL');
  const before = await countErased();
  expect(before).toBeLessThan(MESSAGES);
  const receipt = async () => (await api.inject(ana, { url: `/erasures/${id}` })).json();
  expect(await receipt()).toMatchObject({ status: 'running', digest: null });
  // As if the time of the lease had passed.
  await sql`update leases set expires_at = now() - interval '1 s'`;
  await expect.poll(countErased).toBe(MESSAGES);
  await expect
    .poll(async () => {
      await sql`update erasures set requested_at = requested_at - interval '4 s' where status = 'waiting'`;
      return await receipt();
    })
    .toMatchObject({
      status: 'done',
      counts: { sessions: 1, messages: MESSAGES },
      digest: createHash('sha256')
        .update(
          messages
            .map((message) => message.id)
            .toSorted((a, b) => (a < b ? -1 : 1))
            .join(),
        )
        .digest('hex'),
    });
  expect(await sql`select content from messages where content <> ''`).toEqual([
    { content: 'kept' },
  ]);
});
