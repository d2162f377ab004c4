import { createTestDatabase } from '@session/testing';
import type { Sql } from 'postgres';
import { v7 as uuidv7 } from 'uuid';
import { type Database, openDatabase } from '../src/connection/client.ts';
import { insertMembership } from '../src/queries/accounts/membership-changes.ts';
import { insertProject } from '../src/queries/accounts/projects.ts';
import { insertSession } from '../src/queries/sessions/session-insertion.ts';
import type { ProjectRole } from '../src/schema/memberships.ts';
import type { NewMessageRow } from '../src/schema/messages.ts';

export interface TestProject extends Pick<Database, 'sql'> {
  readonly url: string;
  /**
   * As `sql`, with limits that no test reaches: for inserting thousands of rows, which takes long on a busy machine.
   */
  readonly fill: Sql;
  readonly userId: string;
  readonly projectId: string;
  /** Stores a user with no project, and returns their id. */
  newUser(): Promise<string>;
  /** Stores an ACTIVE session in the project, and returns its id. */
  newSession(): Promise<string>;
  /** As `newSession`; the history begins in the year 2000, so that messages may have any time since then. */
  newOldSession(): Promise<string>;
  /** Stores several sessions, and returns their ids in the order of creation. */
  newSessions(count: number): Promise<string[]>;
  /** Stores another project, with an owner of its own unless `owner` names one. */
  newProject(owner?: string): Promise<{ readonly projectId: string; readonly userId: string }>;
  /** Stores a membership of the project, and returns the ids of the membership and of its new user. */
  newMember(role?: ProjectRole): Promise<{ readonly id: string; readonly userId: string }>;
}

type TestDatabase = Pick<TestProject, 'fill' | 'sql' | 'url'>;

/** Opens a database for `insertTestProject`. */
export function openTestDatabase(url: string): AsyncDisposable & TestDatabase {
  const stack = new AsyncDisposableStack();
  const limits = { statementTimeoutMs: 60_000, lockTimeoutMs: 60_000 };
  const { sql } = stack.use(openDatabase(url));
  const { sql: fill } = stack.use(openDatabase(url, { connections: 1, ...limits }));
  return { url, sql, fill, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** Returns a database of its own with one project, and the user who owns it. */
export async function createTestProject(): Promise<AsyncDisposable & TestProject> {
  const stack = new AsyncDisposableStack();
  const { url } = stack.use(await createTestDatabase());
  const project = await insertTestProject(stack.use(openTestDatabase(url)));
  return { ...project, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** Stores a project, and the user who owns it, in an open database without rows. */
export async function insertTestProject({ url, sql, fill }: TestDatabase): Promise<TestProject> {
  const newUser = async () => {
    const id = uuidv7();
    await sql`insert into users (id, email, password_hash, name) values (${id}, ${`${id}@example.com`}, '', 'Someone')`;
    return id;
  };
  const newProject = async (owner?: string) => {
    const [ownerId, id] = [owner ?? (await newUser()), uuidv7()];
    const project = { id, name: 'test', membershipId: uuidv7(), ownerId };
    await insertProject({ sql }, project);
    return { projectId: id, userId: ownerId };
  };
  const { projectId, userId } = await newProject();
  const newSession = async () => {
    const id = uuidv7();
    await insertSession({ sql }, { id, projectId, name: 'a talk', createdBy: userId });
    return id;
  };
  const newOldSession = async () => {
    const id = await newSession();
    await sql`update session_heads set last_at = '2000-01-01' where session_id = ${id}`;
    return id;
  };
  const newSessions = async (count: number) => {
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) ids.push(await newSession());
    return ids;
  };
  const newMember = async (role: ProjectRole = 'MEMBER') => {
    const member = { id: uuidv7(), userId: await newUser() };
    await insertMembership({ sql }, { ...member, projectId, role });
    return member;
  };
  return {
    sql,
    fill,
    url,
    userId,
    projectId,
    newUser,
    newSession,
    newOldSession,
    newSessions,
    newProject,
    newMember,
  };
}

/** Returns a message that a user typed, to be varied. */
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
