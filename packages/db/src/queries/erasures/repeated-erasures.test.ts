import { missingMessages } from '@session/contract/room';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { endErasurePass } from './erasure-passes.ts';
import { listOpenErasures } from './erasure-work.ts';
import { hashedIdentity } from './late-messages.ts';
import { countErasedAgain, type EarlierErasure, insertErasureAgain } from './repeated-erasures.ts';

const REQUESTED_AT = '2026-01-02T03:04:05.678Z';

test('an erasure is stored once with its id and its time, and finds a hashed identity among the senders', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  await appendMessages(project, [
    typedText(sessionId, { participant: 'Ada' }),
    typedText(sessionId, { metadata: { candidates: ['Grace', 'Ada'] } }),
    missingMessages(
      {
        sessionId,
        identity: 'Bea',
        q: 'q',
        missing: [[1, 2]],
        from: REQUESTED_AT,
        to: REQUESTED_AT,
      },
      Date.now(),
    ),
  ]);
  const id = uuidv7();
  for (const [identity, found] of [
    ['Ada', 'Ada'],
    ['Grace', 'Grace'],
    ['Bea', 'Bea'],
    ['Nobody', undefined],
  ] as const) {
    const erasure = { ...earlier(project, sessionId), id: uuidv7() };
    const hashed = hashedIdentity(erasure.id, identity);
    const insert = async () => await insertErasureAgain(project, { ...erasure, identity: hashed });
    expect(await insert()).toBe('inserted');
    expect(await insert()).toBe('known');
    const open = (await listOpenErasures(project, 10)).find((one) => one.id === erasure.id);
    expect(open).toMatchObject({ identity: found ?? hashed, requestedAt: REQUESTED_AT });
    const pass = { id: erasure.id, sessionId, identity: found ?? hashed };
    for (const status of ['running', 'waiting'] as const) {
      await endErasurePass(project, { ...pass, status });
    }
    expect(await project.sql`select identity from erasures where id = ${erasure.id}`).toEqual([
      { identity: hashed },
    ]);
  }
  expect(await insertErasureAgain(project, { ...earlier(project, sessionId), projectId: id })).toBe(
    'no_project',
  );
});

test('it needs neither its session nor its messages, and says what is running', async ({
  project,
}) => {
  const erasure = { ...earlier(project, uuidv7()), messageIds: [uuidv7()] };
  expect(await insertErasureAgain(project, erasure)).toBe('inserted');
  const session = earlier(project, await project.newSession());
  expect(await insertErasureAgain(project, session)).toBe('inserted');
  expect(await project.sql`select from session_heads`).toHaveLength(0);
  const ids = [erasure.id, session.id];
  expect(await countErasedAgain(project, ids)).toEqual({ running: 1, messages: 0 });
  expect(await countErasedAgain(project, [session.id])).toEqual({ running: 0, messages: 0 });
});

function earlier(
  { projectId, userId }: { projectId: string; userId: string },
  sessionId: string,
): EarlierErasure {
  const scope = { sessionId, messageIds: null, identity: null, userId: null };
  return { id: uuidv7(), projectId, requestedBy: userId, requestedAt: REQUESTED_AT, ...scope };
}
