import * as db from '@session/db';
import { expect } from 'vitest';
import { erase, said, erasureTest as test } from '../../../testing/erasure-test.ts';
import { carryOutErasures } from './carry-out-erasures.ts';

test('404 for a session that is erased as a whole, however long other erasures of its project take', async ({
  api,
  ana,
  own,
  projectId,
  sessionId,
}) => {
  // Each message takes a millisecond of the session's clock, so their erasure takes longer than the call.
  const messages = Array.from({ length: 3000 }, () => said(sessionId, 'word'));
  await db.appendMessages(api.deps.database, messages);
  const long = await erase(api, ana, projectId, { sessionId, identity: 'user-1' });
  const whole = await api.createSession(ana, projectId);
  await erase(api, ana, projectId, { sessionId: whole });
  await carryOutErasures(api.deps, { workMs: 1400 });
  const found = await db.findErasure(own, { id: long.id, userId: ana.id });
  const { statusCode } = await api.inject(ana, { url: `/sessions/${whole}` });
  await own.sql`delete from erasures`;
  expect([found?.erasure.status, statusCode]).toEqual(['running', 404]);
});
