import * as db from '@session/db';
import { v4 as uuidv4, v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import type { TestApi, TestUser } from '../../../testing/api.ts';
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

test('an erasure whose last logs take the rest of the time is not begun again', async ({
  api,
  ana,
  own,
  projectId,
  sessionId,
}) => {
  const { id } = await erase(api, ana, projectId, { sessionId, identity: 'user-1' });
  await eraseAndPrint(api, ana, { id, sessionId });
  using time = timeThatEndsWith('erase_agent_logs');
  await carryOutErasures(api.deps, { now: time.now });
  const found = await db.findErasure(own, { id, userId: ana.id });
  // A call in the next test would continue this erasure.
  await own.sql`delete from erasures`;
  expect(found?.erasure.status).toBe('waiting');
  expect(await own.sql`select from agent_logs where 'word' = any (lines)`).toEqual([]);
});

test('a call that goes on with the logs of an erasure does not search for its messages again', async ({
  api,
  ana,
  own,
  projectId,
}) => {
  const userId = uuidv4();
  const id = uuidv4();
  const scope = { sessionId: null, messageIds: null, identity: null, userId };
  await db.insertErasure(own, { id, projectId, requestedBy: ana.id, ...scope });
  for (let count = 0; count < 2; count += 1) {
    const sessionId = await api.createSession(ana, projectId);
    await eraseAndPrint(api, ana, { id, sessionId, identity: `user-${userId}` });
  }
  // The first session's logs take all the time.
  {
    using time = timeThatEndsWith('erase_agent_logs');
    await carryOutErasures(api.deps, { now: time.now });
  }
  const status = async () => (await db.findErasure(own, { id, userId: ana.id }))?.erasure.status;
  expect(await status()).toBe('running');
  const searched: string[] = [];
  using _ = db.observeStatements(({ name }) => {
    if (name === 'list_messages_of_person') searched.push(name);
  });
  await carryOutErasures(api.deps);
  expect(await status()).toBe('waiting');
  expect(searched).toHaveLength(1);
});

interface Printed {
  readonly id: string;
  readonly sessionId: string;
  readonly identity?: string;
}

/** Erases a message of the session, as an earlier call did, and lets an agent print its word after that. */
async function eraseAndPrint(
  { deps: { database } }: TestApi,
  { id: createdBy }: TestUser,
  { id: erasureId, sessionId, identity }: Printed,
): Promise<void> {
  const message = said(sessionId, 'word', identity);
  await db.appendMessages(database, [message]);
  await db.eraseMessages(database, { sessionId, ids: [message.id], erasureId });
  const agent = { id: uuidv7(), sessionId, role: 'echo-agent', createdBy };
  await db.insertAgent(database, { ...agent, planId: null, envTemplateId: null, config: {} });
  const end = await db.findLogEnd(database, agent.id);
  await db.appendLog(database, agent.id, end, [{ at: Date.now() * 1000, line: 'word' }]);
}

/** A clock that stands still until a statement of this name has ended, and from then on is past every limit. */
function timeThatEndsWith(statement: string): Disposable & { readonly now: () => number } {
  let time = 0;
  const observing = db.observeStatements(({ name }) => {
    if (name === statement) time = Number.MAX_SAFE_INTEGER;
  });
  return { now: () => time, [Symbol.dispose]: () => observing[Symbol.dispose]() };
}
