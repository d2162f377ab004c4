import * as db from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { fakeDatabase } from '../../../testing/answered-database.ts';
import { createWebhook, webhookTest as test } from '../../../testing/webhook-test.ts';
import { markUnnamedSessions } from '../housekeeping/webhook-rows.ts';
import { createFollowerMarking } from './follower-marking.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

test('what was stored long ago is found for a webhook that begins with it, and for one that was disabled', async ({
  api,
  ana,
  projectId,
  sessionId,
  receiver,
}) => {
  const { sql } = api.deps.database;
  const lateBy = async (days: number) =>
    await sql`
      update session_heads set last_at = now() - ${days}::int * interval '1 d' where session_id = ${sessionId}`;
  await lateBy(30);
  const mark = createFollowerMarking(api.deps);
  await mark();
  const payload = { url: receiver.url, from: 'beginning' };
  const { id } = await createWebhook(api, ana, projectId, payload);
  await markUnnamedSessions(api.deps);
  expect(await sql`select from follower_positions where follower_id = ${id}`).toEqual([]);
  expect(await mark()).toEqual(['1 sessions']);
  expect(await mark()).toEqual([]);
  const set = async (status: string) =>
    await api.inject(ana, { method: 'PATCH', url: `/webhooks/${id}`, payload: { status } });
  await set('disabled');
  await mark();
  await lateBy(29);
  await set('active');
  expect(await mark()).toEqual(['1 sessions']);
});

/** Returns the chore on a database with two pages of sessions. Reading a page takes a second. */
function openMarking() {
  const [first, second] = [uuidv7(), uuidv7()];
  let ms = 0;
  let failure: Error | undefined;
  const read: string[] = [];
  const database = fakeDatabase(async (name, [after]) => {
    if (name === 'list_active_followers') return [{ id: db.SEARCH_FOLLOWER_ID }];
    if (failure) throw failure;
    ms += SECOND;
    const page = [first, second].indexOf(String(after)) + 1;
    read.push(`${name} ${page}`);
    return [{ last: [first, second][page] ?? null, marked: 1 }];
  });
  const mark = createFollowerMarking({ database }, { workMs: 2 * SECOND, now: () => ms });
  return {
    pagesAfter: async (passedMs: number) => {
      read.length = 0;
      ms += passedMs;
      await mark();
      return read.map((one) => one.replace('mark_followers_from ', ''));
    },
    fail: (error?: Error) => {
      failure = error;
    },
  };
}

test('all sessions are looked at when a process begins to lead, in parts, and once a day', async () => {
  const { pagesAfter } = openMarking();
  expect(await pagesAfter(0)).toEqual(['0', '1']);
  expect(await pagesAfter(SECOND)).toEqual(['2']);
  let passed = 4 * SECOND;
  for (; passed + MINUTE / 2 <= DAY; passed += MINUTE / 2) {
    expect(await pagesAfter(MINUTE / 2)).toEqual([]);
  }
  expect(await pagesAfter(MINUTE / 2)).toEqual(['0', '1']);
});

test('a process that leads again, as others may have led meanwhile, looks at all sessions again', async () => {
  const { pagesAfter } = openMarking();
  await pagesAfter(0);
  await pagesAfter(SECOND);
  expect(await pagesAfter(MINUTE)).toEqual(['0', '1']);
});

test('a failed look continues where it was', async () => {
  const { fail, pagesAfter } = openMarking();
  await pagesAfter(0);
  fail(new Error('away'));
  await expect(pagesAfter(SECOND)).rejects.toThrow('away');
  fail();
  expect(await pagesAfter(SECOND)).toEqual(['2']);
});
