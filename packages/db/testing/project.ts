import { createTestDatabase } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { type Database, openDatabase } from '../src/client.ts';
import type { NewMessageRow } from '../src/queries/append-messages.ts';
import { prepareProjectQueries } from '../src/queries/projects.ts';
import { prepareSessionQueries, type SessionQueries } from '../src/queries/sessions.ts';

export interface TestProject extends Database {
  readonly url: string;
  readonly userId: string;
  readonly projectId: string;
  readonly sessions: SessionQueries;
  /** Gives the id of a new user, with no project. */
  newUser(): Promise<string>;
  /** Gives the id of a new ACTIVE session in the project. */
  newSession(): Promise<string>;
}

/** Gives a database of its own with one project, and the user who owns it: for tests. */
export async function createTestProject(): Promise<TestProject> {
  const stack = new AsyncDisposableStack();
  const { url } = stack.use(await createTestDatabase());
  const { sql } = stack.use(openDatabase(url));
  const newUser = async () => {
    const id = uuidv7();
    await sql`insert into users (id, email, password_hash, name) values (${id}, ${`${id}@example.com`}, '', 'Someone')`;
    return id;
  };
  const userId = await newUser();
  const projectId = uuidv7();
  const project = { id: projectId, name: 'test', membershipId: uuidv7(), ownerId: userId };
  await prepareProjectQueries({ sql }).insertProject(project);
  const sessions = prepareSessionQueries({ sql });
  const newSession = async () => {
    const id = uuidv7();
    await sessions.insertSession({ id, projectId, name: 'a talk', createdBy: userId });
    return id;
  };
  return {
    sql,
    url,
    userId,
    projectId,
    sessions,
    newUser,
    newSession,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Gives a message that a user typed, to be varied: for tests. */
export function typedText(
  sessionId: string,
  part: Partial<NewMessageRow> & { participant?: string } = {},
): NewMessageRow {
  const { participant = 'user-1', ...rest } = part;
  return {
    sessionId,
    id: uuidv7(),
    receivedAt: Date.now(),
    role: 'user',
    status: 'complete',
    kind: 'text',
    content: 'hello',
    metadata: { kind: 'text', participant: { identity: participant } },
    ...rest,
  };
}
