import * as db from '@session/db';
import { expect } from 'vitest';
import { erase, erasureTest, finishErasures, said } from '../../../testing/erasure-test.ts';
import { endUserIdOf } from '../../features/sessions/end-user-id.ts';
import { carryOutErasures } from './carry-out-erasures.ts';

/** Moves the times of a session by `by`, as if the clock of the database was moved in the opposite direction. */
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

/** The time of a call that ends when one session is searched, by a clock that advances 1 ms at each reading. */
const IN_SESSION_MS = 6;
const IN_PROJECT_MS = 7;

/**
 * `eraseAhead`: requests an erasure while `sessionId` is 10 min ahead, searches in that session, and then sets the
 * clock by `back`. Returns the id of the erasure. `customer`: the identity of the end user `customer-7` in the room.
 */
const test = erasureTest
  .extend('customer', ({ projectId }) => `user-${endUserIdOf(projectId, 'customer-7')}`)
  .extend(
    'eraseAhead',
    ({ api, ana, own, projectId }) =>
      async (sessionId: string, scope: object, back = '-10 min'): Promise<string> => {
        await move(own, sessionId, '10 min');
        const { id } = await erase(api, ana, projectId, scope);
        const workMs = 'sessionId' in scope ? IN_SESSION_MS : IN_PROJECT_MS;
        let calls = 0;
        await carryOutErasures(api.deps, { workMs, now: () => calls++ });
        const [open] = await own.sql`
          select from erasures where status = 'running' and counts #>> '{place,sessionId}' = ${sessionId}`;
        if (!open) throw new Error('the next call does not continue in this session');
        await move(own, sessionId, back);
        await moveErasures(own, back);
        return id;
      },
  );

test('words from before the database’s clock was set back are erased, once it has caught up', async ({
  api,
  own,
  sessionId,
  eraseAhead,
}) => {
  const messages = [said(sessionId, 'mine'), said(sessionId, 'theirs', 'user-2')];
  await db.appendMessages(api.deps.database, messages);
  const id = await eraseAhead(sessionId, { sessionId, identity: 'user-1' });
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
  customer,
  eraseAhead,
}) => {
  const later = await api.createSession(ana, projectId);
  const messages = [sessionId, later].map((id) => said(id, 'mine', customer));
  await db.appendMessages(api.deps.database, messages);
  await eraseAhead(later, { participantId: 'customer-7' });
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
  customer,
  eraseAhead,
}) => {
  await db.appendMessages(api.deps.database, [said(sessionId, 'before', customer)]);
  // The clock has caught up 10 s ago.
  await eraseAhead(sessionId, { participantId: 'customer-7' }, '-610 s');
  const later = await api.createSession(ana, projectId);
  await db.appendMessages(api.deps.database, [said(later, 'after', customer)]);
  await finishErasures(api, own);
  const rows = await own.sql`
    select content from messages where session_id = any (${[sessionId, later]}::uuid[])
    order by "timestamp"`;
  expect(rows).toEqual([{ content: '' }, { content: 'after' }]);
});
