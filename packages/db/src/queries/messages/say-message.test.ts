import { expect } from 'vitest';
import { typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { markSessionDeleted } from '../sessions/deletions.ts';
import { closeSession } from '../sessions/session-end.ts';
import { sayMessage } from './messages.ts';

test('messages and a close at the same moment: no message is later than the close, and none is lost', async ({
  project,
}) => {
  const { sql } = project;
  for (let round = 0; round < 10; round += 1) {
    const sessionId = await project.newSession();
    // The clock of the writer is fast.
    const say = () => sayMessage(project, typedText(sessionId, { receivedAt: Date.now() + 500 }));
    const saying = Promise.all(Array.from({ length: 8 }, say));
    await say();
    await closeSession(project, sessionId, 'user');
    const said = (await saying).filter(Boolean).length + 1;
    const [found] = await sql`
      select count(*)::int as stored, bool_and(message."timestamp" <= session.closed_at) as before
      from messages message join sessions session on session.id = message.session_id
      where session.id = ${sessionId}`;
    expect(found).toEqual({ stored: said, before: true });
    expect(await say()).toBeUndefined();
  }
});

test('messages and a deletion at the same moment wait for each other without a deadlock', async ({
  project,
}) => {
  for (let round = 0; round < 10; round += 1) {
    const sessionId = await project.newSession();
    const saying = Array.from({ length: 8 }, () => sayMessage(project, typedText(sessionId)));
    expect(await markSessionDeleted(project, sessionId)).toBe(true);
    await Promise.all(saying);
    expect(await sayMessage(project, typedText(sessionId))).toBeUndefined();
  }
});
