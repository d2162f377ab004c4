import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { type TestProject, typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { isVersionLeft } from './erased-versions.ts';

async function isLeft({ sql }: TestProject, sessionId: string, at: string): Promise<boolean> {
  const [row] = await sql.unsafe(
    `select ${isVersionLeft('$1::uuid', '$2::timestamptz')} as "isLeft"`,
    [sessionId, at],
  );
  return row?.['isLeft'] === true;
}

test('a version is left until its message is erased or grows, and while its session is there', async ({
  project,
}) => {
  const { sql } = project;
  const sessionId = await project.newSession();
  await appendMessages(project, [typedText(sessionId)], { waitForLocks: true });
  const [stored] = await sql`select "timestamp"::text as at from messages`;
  const said = String(stored?.['at']);
  const GROWN = '2030-01-01T00:00:00.000Z';
  expect(await isLeft(project, sessionId, said)).toBe(true);
  expect(await isLeft(project, uuidv7(), said)).toBe(false);
  expect(await isLeft(project, sessionId, GROWN)).toBe(false);

  await sql`update messages set completed_at = ${GROWN}`;
  expect(await isLeft(project, sessionId, GROWN)).toBe(true);
  await sql`update messages set erased_at = now()`;
  expect(await isLeft(project, sessionId, GROWN)).toBe(false);
  await sql`update messages set erased_at = null`;
  await sql`delete from session_heads`;
  expect(await isLeft(project, sessionId, GROWN)).toBe(false);
});

test('an event is left even when its session was deleted', async ({ project }) => {
  const { sql, projectId } = project;
  const sessionId = uuidv7();
  const at = '2026-01-01T00:00:00.000Z';
  await sql`
    insert into session_events (session_id, seen_at, project_id, type)
    values (${sessionId}, ${at}, ${projectId}, 'session.deleted')`;
  expect(await isLeft(project, sessionId, at)).toBe(true);
  expect(await isLeft(project, sessionId, '2026-01-01T00:00:00.001Z')).toBe(false);
});
