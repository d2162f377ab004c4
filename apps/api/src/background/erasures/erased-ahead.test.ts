import * as db from '@session/db';
import { expect } from 'vitest';
import { erase, finishErasures, said, erasureTest as test } from '../../../testing/erasure-test.ts';
import { endUserIdOf } from '../../features/sessions/end-user-id.ts';
import { carryOutErasures } from './carry-out-erasures.ts';

/** Moves the times of a session as if the clock was set by the opposite. */
async function move({ sql }: db.Database, sessionId: string, by: string): Promise<void> {
  await sql`update messages set "timestamp" = "timestamp" + ${by}::interval where session_id = ${sessionId}`;
  await sql`update session_heads set last_at = last_at + ${by}::interval where session_id = ${sessionId}`;
}

async function moveErasures({ sql }: db.Database, by: string): Promise<void> {
  await sql`
    update erasures set
      requested_at = requested_at + ${by}::interval,
      counts = counts || jsonb_build_object('until', (counts ->> 'until')::timestamptz + ${by}::interval)`;
}

/** The time of a call that ends when one session is searched: by its own clock, of which each reading takes 1 ms. */
const IN_SESSION_MS = 6;
const IN_PROJECT_MS = 7;

/** Carries out the erasure for `workMs`. Returns the session at which the next call continues. */
async function searchOne(
  deps: Parameters<typeof carryOutErasures>[0],
  { sql }: db.Database,
  workMs: number,
) {
  let calls = 0;
  const now = () => calls++;
  await carryOutErasures(deps, { workMs, now });
  const [erasure] = await sql`
    select counts #>> '{place,sessionId}' as next from erasures where status = 'running'`;
  return erasure?.['next'];
}

test('words from before the database’s clock was set back are erased, once it has caught up', async ({
  api,
  ana,
  own,
  projectId,
  sessionId,
}) => {
  const messages = [said(sessionId, 'mine'), said(sessionId, 'theirs', 'user-2')];
  await db.appendMessages(api.deps.database, messages);
  await move(own, sessionId, '10 min');
  const { id } = await erase(api, ana, projectId, { sessionId, identity: 'user-1' });
  expect(await searchOne(api.deps, own, IN_SESSION_MS)).toBe(sessionId);
  await move(own, sessionId, '-10 min');
  await moveErasures(own, '-10 min');
  await finishErasures(api, own);
  const rows = await own.sql`
    select content, metadata #>> '{erased,erasureId}' as erasure from messages
    where session_id = ${sessionId} order by "timestamp"`;
  expect(rows).toEqual([
    { content: '', erasure: id },
    { content: 'theirs', erasure: null },
  ]);
});

test('they are erased, too, in a session that is searched when the clock has caught up', async ({
  api,
  ana,
  own,
  projectId,
  sessionId,
}) => {
  const later = await api.createSession(ana, projectId);
  const identity = `user-${endUserIdOf(projectId, 'customer-7')}`;
  const messages = [sessionId, later].map((id) => said(id, 'mine', identity));
  await db.appendMessages(api.deps.database, messages);
  await move(own, later, '10 min');
  await erase(api, ana, projectId, { participantId: 'customer-7' });
  expect(await searchOne(api.deps, own, IN_PROJECT_MS)).toBe(later);
  await move(own, later, '-10 min');
  await moveErasures(own, '-10 min');
  await finishErasures(api, own);
  const rows = await own.sql`
    select content from messages where session_id = any (${[sessionId, later]}::uuid[])`;
  expect(rows).toEqual([{ content: '' }, { content: '' }]);
});

test('what the person says after the clock has caught up stays', async ({
  api,
  ana,
  own,
  projectId,
  sessionId,
}) => {
  const identity = `user-${endUserIdOf(projectId, 'customer-7')}`;
  await db.appendMessages(api.deps.database, [said(sessionId, 'before', identity)]);
  await move(own, sessionId, '10 min');
  await erase(api, ana, projectId, { participantId: 'customer-7' });
  expect(await searchOne(api.deps, own, IN_PROJECT_MS)).toBe(sessionId);
  // The clock has caught up 10 s ago.
  await move(own, sessionId, '-610 s');
  await moveErasures(own, '-610 s');
  const later = await api.createSession(ana, projectId);
  await db.appendMessages(api.deps.database, [said(later, 'after', identity)]);
  await finishErasures(api, own);
  const rows = await own.sql`
    select content from messages where session_id = any (${[sessionId, later]}::uuid[])
    order by "timestamp"`;
  expect(rows).toEqual([{ content: '' }, { content: 'after' }]);
});
