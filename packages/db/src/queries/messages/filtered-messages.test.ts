import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import type { TestProject } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { filterMessages, WALKED_FOR_FILTER } from './filtered-messages.ts';

const MESSAGES = 2 * WALKED_FOR_FILTER + 7;
interface Message {
  readonly id: string;
  readonly kind: string;
  readonly role: 'user' | 'assistant' | 'system';
}

/** Stores a history whose newest messages are texts, with few of each other kind before them. */
async function insertHistory({ fill }: TestProject, sessionId: string): Promise<Message[]> {
  const messages = Array.from({ length: MESSAGES }, (_, n): Message => {
    const isEvent = n === 0 || n % 3001 === 5;
    const role = n % 2 === 0 ? 'user' : 'assistant';
    return {
      id: uuidv7(),
      kind: isEvent ? 'recording_gap' : 'text',
      role: isEvent ? 'system' : role,
    };
  });
  await fill`
    insert into messages (session_id, id, "timestamp", role, kind, content, metadata)
    select ${sessionId}, (message ->> 'id')::uuid, '2026-11-21T08:00:00Z'::timestamptz + n * interval '1 s',
      message ->> 'role', message ->> 'kind', 'content', '{}'
    from jsonb_array_elements(${JSON.stringify(messages)}::text::jsonb) with ordinality as _ (message, n)`;
  return messages;
}

type Filter = Pick<Parameters<typeof filterMessages>[1], 'kind' | 'role' | 'order'>;

const FILTERS: Filter[] = (['asc', 'desc'] as const).flatMap((order) => [
  { order, kind: 'recording_gap' },
  { order, role: 'system' },
  { order, kind: 'text', role: 'system' },
  { order, kind: 'unheard' },
]);

test('a filtered history that is read to its end has every message that matches, once and in order', async ({
  project,
}) => {
  const { userId } = project;
  const sessionId = await project.newSession();
  const all = await insertHistory(project, sessionId);
  for (const filter of FILTERS) {
    const ids: string[] = [];
    let reads = 0;
    for (let cursor: string | null | undefined; cursor !== null; reads += 1) {
      const found = await filterMessages(project, {
        sessionId,
        userId,
        cursor,
        limit: 3,
        ...filter,
      });
      const read = found?.messages.map(({ id }) => id) ?? [];
      ids.push(...read);
      cursor = read[2] ?? found?.end ?? null;
    }
    expect(ids).toEqual(expectedOf(all, filter));
    expect(reads).toBeLessThan(6);
  }
});

test('a history that begins later ends there, even in the middle of a walk, and knows no older cursor', async ({
  project,
}) => {
  const { userId } = project;
  const sessionId = await project.newSession();
  const all = await insertHistory(project, sessionId);
  const start = WALKED_FOR_FILTER + 5;
  const from = new Date(Date.parse('2026-11-21T08:00:00Z') + start * 1000).toISOString();
  const page = { sessionId, userId, limit: 50, from, kind: 'text' };
  for (const order of ['asc', 'desc'] as const) {
    const ids: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const found = await filterMessages(project, { ...page, order, cursor, limit: 50 });
      const read = found?.messages.map(({ id }) => id) ?? [];
      ids.push(...read);
      cursor = read[49] ?? found?.end ?? null;
    }
    expect(ids).toEqual(expectedOf(all.slice(start), { order, kind: 'text' }));
    const older = { ...page, order, cursor: all[start - 1]?.id };
    expect(await filterMessages(project, older)).toMatchObject({
      isCursorKnown: false,
      messages: [],
    });
  }
});

function expectedOf(all: readonly Message[], filter: Filter): string[] {
  const ids = all
    .filter(({ kind }) => filter.kind === undefined || kind === filter.kind)
    .filter(({ role }) => filter.role === undefined || role === filter.role)
    .map(({ id }) => id);
  return filter.order === 'asc' ? ids : ids.toReversed();
}

test('a walk that is cut names its last message, even if that message matches', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const all = await insertHistory(project, sessionId);
  const page = { sessionId, userId: project.userId, cursor: undefined, order: 'desc' } as const;
  const end = all.at(-WALKED_FOR_FILTER)?.id;
  const gaps = await filterMessages(project, {
    ...page,
    kind: 'recording_gap',
    limit: 9,
  });
  expect([gaps?.messages.length, gaps?.end, gaps?.isFull]).toEqual([2, end, false]);
  const texts = await filterMessages(project, { ...page, kind: 'text', limit: 9 });
  expect([texts?.messages.length, texts?.end]).toEqual([9, null]);
  const whole = { ...page, limit: WALKED_FOR_FILTER };
  const walked = await filterMessages(project, whole);
  expect([walked?.messages.length, walked?.end]).toEqual([WALKED_FOR_FILTER, end]);
});

test('a page ends at its limit of bytes, and a message that does not match adds nothing to them', async ({
  project,
}) => {
  const { fill, userId } = project;
  const sessionId = await project.newSession();
  await fill`
    insert into messages (session_id, id, "timestamp", role, kind, content)
    select ${sessionId}, gen_random_uuid(), now() + n * interval '1 s', 'user',
      case when n % 2 = 0 then 'text' else 'transcript' end, repeat('x', 1000000)
    from generate_series(1, 20) n`;
  const page = {
    sessionId,
    userId,
    limit: 99,
    order: 'asc',
  } as const;
  const found = await filterMessages(project, { ...page, kind: 'text' });
  expect([found?.messages.length, found?.isFull, found?.end]).toEqual([5, true, null]);
});

test('a cursor of another session is unknown, and a user who is no member reads nothing', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const page = { sessionId, limit: 9, order: 'desc' } as const;
  const { userId } = project;
  const unknown = await filterMessages(project, { ...page, userId, cursor: uuidv7() });
  expect(unknown).toMatchObject({ isCursorKnown: false, messages: [], end: null });
  const stranger = { ...page, userId: await project.newUser(), cursor: undefined };
  expect(await filterMessages(project, stranger)).toBeUndefined();
});
