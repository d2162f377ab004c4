import * as db from '@session/db';
import { expect } from 'vitest';
import { erase, finishErasures, said, erasureTest as test } from '../../../testing/erasure-test.ts';
import { carryOutErasures } from './carry-out-erasures.ts';

test('words from before the database’s clock was set back are erased, once it has caught up', async ({
  api,
  ana,
  own,
  projectId,
  sessionId,
}) => {
  const messages = [said(sessionId, 'mine'), said(sessionId, 'theirs', 'user-2')];
  await db.appendMessages(api.deps.database, messages);
  // Moves the times of the session as if the clock was set by the opposite.
  const move = async (by: string) => {
    await own.sql`update messages set "timestamp" = "timestamp" + ${by}::interval where session_id = ${sessionId}`;
    await own.sql`update session_heads set last_at = last_at + ${by}::interval where session_id = ${sessionId}`;
  };
  await move('10 min');
  const { id } = await erase(api, ana, projectId, { sessionId, identity: 'user-1' });
  // The time is over when the messages have been found.
  let calls = 0;
  const now = () => calls++;
  await carryOutErasures(api.deps, { workMs: 6, now });
  const [erasure] = await own.sql`select status, counts -> 'place' as place from erasures`;
  expect(erasure).toMatchObject({ status: 'running' });
  expect(JSON.parse(erasure?.['place'])).toMatchObject({ sessionId, isAhead: true });
  await move('-10 min');
  await own.sql`update erasures set requested_at = requested_at - interval '10 min'`;
  await finishErasures(api, own);
  const rows = await own.sql`
    select content, metadata #>> '{erased,erasureId}' as erasure from messages
    where session_id = ${sessionId} order by "timestamp"`;
  expect(rows).toEqual([
    { content: '', erasure: id },
    { content: 'theirs', erasure: null },
  ]);
});
