import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect } from 'vitest';
import { withoutTerms } from '../../../testing/many-rows.ts';
import { createTestProject, type TestProject } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { openDatabase } from '../../connection/client.ts';
import {
  WALK_SESSIONS_OF_END_USER,
  WALK_SESSIONS_OF_END_USER_FROM_OLDEST,
  WALKED_END_USER_SESSIONS,
} from './end-user-sessions.ts';
import { insertSession } from './session-insertion.ts';
import type { SessionQuery } from './session-lists.ts';
import {
  FIND_SESSIONS,
  listSessions,
  MAX_CANDIDATES,
  WALK_SESSIONS,
  WALKED_SESSIONS,
} from './session-search.ts';
import type { SessionStatus } from './sessions.ts';

/** More sessions than the walk for one page reads. */
const SESSIONS = 30_000;
const START = Date.parse('2026-01-01T00:00:00Z');

interface Session {
  readonly id: string;
  readonly createdAt: string;
  readonly name: string;
  readonly status: SessionStatus;
  readonly metadata: Readonly<Record<string, string>>;
  readonly externalId: string | null;
  readonly endUsers: readonly string[];
}

/** End users: of more sessions than one page looks at, of some, of one, and of none. */
const END_USERS = { many: uuidv7(), some: uuidv7(), one: uuidv7(), none: uuidv7() };

/**
 * Returns the session number `n`. Three sessions at a time have the same time of creation. Some of its values are
 * frequent, some rare, some old.
 */
function session(n: number): Session {
  const hex = createHash('md5').update(`${n}`).digest('hex');
  return {
    id: hex.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5'),
    createdAt: new Date(START + Math.floor(n / 3) * 1000).toISOString(),
    name: [
      n % 2 === 0 ? 'Support' : 'Sales',
      `Call-${n % 977}`,
      ...(n < 4000 ? ['Old_timer'] : []),
      ...(n % 7001 === 5 ? ['Éclair'] : []),
    ].join(' '),
    status: n % 5000 === 1 ? 'ACTIVE' : 'CLOSED',
    metadata: {
      plan: n % 3 === 0 ? 'pro' : 'free',
      customer: `c-${n % 6000}`,
      // More than the index may return, all of them beyond the first walk.
      ...(n < MAX_CANDIDATES + 2000 && { era: 'first' }),
    },
    externalId: n % 4 === 0 ? `e-${n}` : null,
    endUsers: [
      ...(n % 2 === 0 ? [END_USERS.many] : []),
      ...(n % 50 === 0 ? [END_USERS.some] : []),
      ...(n === 400 ? [END_USERS.one] : []),
    ],
  };
}

async function insertSessions(project: TestProject): Promise<Session[]> {
  const sessions = Array.from({ length: SESSIONS }, (_, n) => session(n));
  const { url, projectId, userId } = project;
  await using own = openDatabase(url, { connections: 1, statementTimeoutMs: 60_000 });
  const { sql } = own;
  await withoutTerms(
    sql,
    () => sql`
    insert into sessions (id, project_id, created_by, created_at, name, status, metadata, external_id, close_reason, closed_at)
    select id, ${projectId}, ${userId}, "createdAt", name, status, metadata, "externalId",
      case status when 'CLOSED' then 'user' end, case status when 'CLOSED' then "createdAt" end
    from jsonb_to_recordset(${JSON.stringify(sessions)}::text::jsonb)
      as _ (id uuid, "createdAt" timestamptz, name text, status text, metadata jsonb, "externalId" text)`,
  );
  await sql`insert into session_heads (session_id, last_at) select id, created_at from sessions`;
  await sql`
    insert into session_end_users (session_id, user_id, issued_by, project_id, session_created_at)
    select id, "endUser"::uuid, ${userId}, ${projectId}, "createdAt"
    from jsonb_to_recordset(${JSON.stringify(sessions)}::text::jsonb)
        as _ (id uuid, "createdAt" timestamptz, "endUsers" jsonb),
      jsonb_array_elements_text("endUsers") "endUser"`;
  await sql`analyze`;
  return sessions.toSorted((a, b) => (a.createdAt + a.id < b.createdAt + b.id ? -1 : 1));
}

let project: TestProject;
let sessions: readonly Session[];

beforeAll(async () => {
  const created = await createTestProject();
  project = created;
  sessions = await insertSessions(project);
  return () => created[Symbol.asyncDispose]();
}, 60_000);

type Filter = Omit<SessionQuery, 'projectId' | 'userId' | 'limit' | 'cursor'>;

const AT = fc.integer({ min: -1, max: SESSIONS / 3 }).map((n) => START + n * 1000);
const TIME = AT.map((at) => new Date(at).toISOString());
const FILTER: fc.Arbitrary<Filter> = fc.record(
  {
    order: fc.constantFrom('asc', 'desc'),
    status: fc.constantFrom('ACTIVE', 'CLOSED'),
    q: fc.constantFrom(
      'support',
      'SAL',
      'old',
      'timer',
      'éc',
      'ÉCLAIR call',
      'call-9 su',
      'x',
      '-',
    ),
    externalId: fc.constantFrom('e-0', 'e-400', 'e-1'),
    metadata: fc.constantFrom<Record<string, string>[]>(
      { plan: 'pro' },
      { era: 'first' },
      { customer: 'c-17' },
      { customer: 'c-17', plan: 'free' },
      { plan: 'none' },
      {},
    ),
    endUserId: fc.constantFrom(...Object.values(END_USERS)),
    createdAfter: TIME,
    createdBefore: TIME,
  },
  { requiredKeys: [] },
);

/** The plainest possible search. */
function isMatch(row: Session, filter: Filter): boolean {
  const { status, q = '', externalId, metadata = {}, createdAfter, createdBefore } = filter;
  const { endUserId } = filter;
  const words = row.name.toLowerCase().split(/[^\p{L}0-9]+/u);
  const sought = q.toLowerCase().match(/[\p{L}0-9]+/gu) ?? [];
  return (
    (status === undefined || row.status === status) &&
    (externalId === undefined || row.externalId === externalId) &&
    (endUserId === undefined || row.endUsers.includes(endUserId)) &&
    (createdAfter === undefined || row.createdAt > createdAfter) &&
    (createdBefore === undefined || row.createdAt < createdBefore) &&
    Object.entries(metadata).every(([key, value]) => row.metadata[key] === value) &&
    sought.every((start) => words.some((word) => word.startsWith(start)))
  );
}

function expected(filter: Filter): string[] {
  const found = sessions.filter((row) => isMatch(row, filter)).map(({ id }) => id);
  return filter.order === 'asc' ? found : found.toReversed();
}

test('a list that is read to its end has every session that matches, once and in order, whatever is combined', async () => {
  const { projectId, userId } = project;
  const read = async (filter: Filter) => {
    const ids: string[] = [];
    const lengths: number[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await listSessions(project, {
        projectId,
        userId,
        ...filter,
        cursor,
        limit: 100,
      });
      ids.push(...(page?.sessions.map(({ id }) => id) ?? []));
      lengths.push(page?.sessions.length ?? 0);
      if (page?.nextCursor == null) return { ids, lengths };
      cursor = page.nextCursor;
    }
  };
  const narrow = FILTER.filter((filter) => expected(filter).length < 2000);
  await fc.assert(
    fc.asyncProperty(narrow, async (filter) => {
      expect((await read(filter)).ids).toEqual(expected(filter));
    }),
    { numRuns: 60 },
  );
  // Beyond the walk the index finds all old sessions, and of a value of too many sessions the page ends where the walk does.
  const old = await read({ q: 'old', metadata: { customer: 'c-17' } });
  expect(old).toEqual({
    ids: expected({ q: 'old', metadata: { customer: 'c-17' } }),
    lengths: [1],
  });
  const first = await read({ metadata: { era: 'first' }, status: 'CLOSED' });
  expect(first.ids).toEqual(expected({ metadata: { era: 'first' }, status: 'CLOSED' }));
  expect(first.lengths[0]).toBe(0);
  const oldOfOne = { endUserId: END_USERS.many, q: 'old' };
  const ofOne = await read(oldOfOne);
  expect(ofOne.ids).toEqual(expected(oldOfOne));
  expect(ofOne.lengths.slice(0, 2)).toEqual([0, 0]);
}, 60_000);

test('the index has every session whose name a walk finds, whatever its letters, and none of another project', async ({
  project: own,
}) => {
  const { projectId, userId } = own;
  const other = await own.newProject();
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 });
  const names = fc.sample(fc.oneof(text, fc.lorem({ maxCount: 3 })), { numRuns: 80, seed: 7 });
  const words = [...names, 'İstanbul ÉTÉ straße 東京 tower ٣ a_b', `x${'y'.repeat(150)}`];
  for (const name of words) {
    for (const of of [own, other]) {
      const row = { id: uuidv7(), projectId: of.projectId, createdBy: of.userId };
      await insertSession(own, { ...row, name });
    }
  }
  const starts = words.flatMap((name) => [name.slice(0, 3), name.slice(-5), name.toUpperCase()]);
  for (const q of [...starts, `x${'y'.repeat(140)}`, 'i̇s', 'ist']) {
    if (/\0/.test(q) || !q.isWellFormed()) continue;
    const parameters = [projectId, userId, 1000, null, null, null, '{}', q] as const;
    const walked = await WALK_SESSIONS(own, ...parameters);
    const found = await FIND_SESSIONS(own, ...parameters, null);
    const isAnyWord = /[\p{Alphabetic}0-9]/u.test(q);
    if (isAnyWord) expect([q, idsOf(found)]).toEqual([q, idsOf(walked)]);
    expect(found[0]?.candidates).toBeLessThanOrEqual(words.length);
  }
});

test('a walk reads no more sessions than the page needs', async () => {
  const { sql, projectId, userId } = project;
  const read = async (metadata: object) => {
    const parameters = [projectId, userId, 51, null, null, null, JSON.stringify(metadata), ''];
    const [plan] = await sql.unsafe(
      `explain (analyze, format json) ${WALK_SESSIONS.text}`,
      parameters,
    );
    const rows = JSON.stringify(plan).matchAll(/"Actual Rows":([\d.]+)/g);
    return Math.max(...Array.from(rows, ([, count]) => Number(count)));
  };
  // One session in three matches.
  expect(await read({ plan: 'pro' })).toBeLessThanOrEqual(3 * 51);
  expect(await read({ plan: 'none' })).toBe(WALKED_SESSIONS);
});

test('the index of terms reads no frequent word beside a rare one, and no letter beside another', async () => {
  const { sql, projectId, userId } = project;
  const read = async (q: string) => {
    const parameters = [projectId, userId, 51, null, null, null, '{}', q, null];
    const [plan] = await sql.unsafe(
      `explain (analyze, format json) ${FIND_SESSIONS.text}`,
      parameters,
    );
    const [, rows] =
      /"Index Name":"sessions_terms".*?"Actual Rows":([\d.]+)/.exec(JSON.stringify(plan)) ?? [];
    return Number(rows);
  };
  expect(await read('éclair')).toBeLessThan(10);
  expect(await read('support éclair call')).toBe(await read('éclair'));
  // Letters of the same length: `s` begins a word of every name, `z` of none.
  expect(await read('s z')).toBe(0);
});

test('a page of an end user reads no more of their sessions than it may look at', async () => {
  const { sql, projectId, userId } = project;
  const read = async ({ text }: { readonly text: string }, metadata: object) => {
    const page = [projectId, userId, 51, null, null, null, JSON.stringify(metadata), ''];
    const [plan] = await sql.unsafe(`explain (analyze, format json) ${text}`, [
      ...page,
      null,
      END_USERS.many,
    ]);
    const rows = JSON.stringify(plan).matchAll(/"Actual Rows":([\d.]+)/g);
    return Math.max(...Array.from(rows, ([, count]) => Number(count)));
  };
  for (const walk of [WALK_SESSIONS_OF_END_USER, WALK_SESSIONS_OF_END_USER_FROM_OLDEST]) {
    expect(await read(walk, {})).toBe(51);
    expect(await read(walk, { plan: 'none' })).toBe(WALKED_END_USER_SESSIONS);
  }
});

function idsOf(rows: readonly { readonly id: string | null }[]): (string | null)[] {
  return rows.map(({ id }) => id);
}
