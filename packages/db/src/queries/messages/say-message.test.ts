import { expect } from 'vitest';
import { typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { prepareDeletionQueries } from '../sessions/deletions.ts';
import { prepareMessageQueries } from './messages.ts';

test('messages and a close at the same moment: no message is later than the close, and none is lost', async ({
  project,
}) => {
  const { sql, sessions } = project;
  const messages = prepareMessageQueries(project);
  for (let round = 0; round < 10; round += 1) {
    const sessionId = await project.newSession();
    // The clock of the writer is fast.
    const say = () => messages.sayMessage(typedText(sessionId, { receivedAt: Date.now() + 500 }));
    const saying = Promise.all(Array.from({ length: 8 }, say));
    await say();
    await sessions.closeSession(sessionId, 'user');
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
  const messages = prepareMessageQueries(project);
  const deletions = prepareDeletionQueries(project);
  for (let round = 0; round < 10; round += 1) {
    const sessionId = await project.newSession();
    const saying = Array.from({ length: 8 }, () => messages.sayMessage(typedText(sessionId)));
    expect(await deletions.markSessionDeleted(sessionId)).toBe(true);
    await Promise.all(saying);
    expect(await messages.sayMessage(typedText(sessionId))).toBeUndefined();
  }
});
