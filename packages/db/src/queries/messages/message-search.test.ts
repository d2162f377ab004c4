import { SearchLanguage } from '@session/contract';
import { expect } from 'vitest';
import { type TestProject, typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { fillAll } from '../../../testing/search.ts';
import { updateProject } from '../accounts/projects.ts';
import { markSessionDeleted } from '../sessions/deletions.ts';
import { appendMessages } from './append-messages.ts';
import {
  MARK_END,
  MARK_START,
  type MessageSearch,
  SEARCH_MESSAGES,
  searchMessages,
} from './message-search.ts';

const TIMEOUT_MS = 2000;

async function say(project: TestProject, ...contents: string[]): Promise<string> {
  const sessionId = await project.newSession();
  for (const content of contents)
    await appendMessages(project, [typedText(sessionId, { content })]);
  return sessionId;
}

const mark = (word: string) => `${MARK_START}${word}${MARK_END}`;

async function find(project: TestProject, q: string, part: Partial<MessageSearch> = {}) {
  const { projectId, userId } = project;
  const search = { projectId, userId, q, limit: 51, ...part };
  return await searchMessages(project, search, TIMEOUT_MS);
}

const contentsOf = (found: Awaited<ReturnType<typeof find>>) =>
  found?.messages.map(({ message }) => message.content);

test.for<[string, string[]]>([
  ['hello', ['well, Hello', 'hello world']],
  ['HELLO world', ['hello world']],
  ['"hello world"', ['hello world']],
  ['"world hello"', []],
  ['hello -world', ['well, Hello']],
  ['über or world', ['ÜBER ALLES', 'hello world']],
  ['hell', []],
  ['Großer', ['grOSSer Großer']],
])('`%s` finds %j, the newest first', async ([q, wanted], { project }) => {
  await say(project, 'hello world', 'grOSSer Großer', 'well, Hello', 'ÜBER ALLES');
  await fillAll(project);
  expect(contentsOf(await find(project, q))).toEqual(wanted);
});

test.for<[string, number]>([
  ['john@example.com', 1],
  ['example', 1],
  ['"8 30"', 1],
  ['8:30', 1],
  ['e-mail', 1],
  ['mail -john', 0],
  ['"-john"', 1],
  ["o'neil", 1],
  ['find_me', 1],
])('punctuation divides words: `%s` finds %i', async ([q, count], { project }) => {
  await say(project, "E-mail to <john@example.com> (O'Neil), 8:30, find_me");
  await fillAll(project);
  expect(contentsOf(await find(project, q))).toHaveLength(count);
});

test.for(['NFC', 'NFD'] as const)(
  'a word in %s is found by both ways to write its letters, and marked as one',
  async (form, { project }) => {
    await say(project, 'Das Café Müller'.normalize(form));
    await fillAll(project);
    for (const q of ['müller', '"café müller"'])
      expect(contentsOf(await find(project, q.normalize('NFD')))).toHaveLength(1);
    const found = await find(project, 'café');
    expect(found?.messages.map(({ marked }) => marked)).toEqual([`das ${mark('café')} müller`]);
  },
);

test.for<[string, string, number]>([
  ['german', 'Schlüssel', 1],
  ['german', 'SCHLÜSSELN', 1],
  ['german', '"neue Schlüssel gefunden"', 1],
  ['german', '"gefunden neue Schlüssel"', 0],
  ['german', 'gefunden -Schlüssel', 0],
  ['german', 'habe', 0],
  ['german', 'neu', 1],
  ['english', 'neu', 0],
  ['russian', 'ключ', 1],
  ['russian', 'КЛЮЧАМИ', 1],
])(
  'in %s, `%s` finds %i message with its other forms',
  async ([searchLanguage, q, count], { project }) => {
    await updateProject(project, project.projectId, { searchLanguage });
    await say(project, 'Ich habe die neuen Schlüssel gefunden. Мои ключи!');
    await fillAll(project);
    const found = await find(project, q);
    expect([found?.messages.length, found?.hasWords]).toEqual([count, q !== 'habe']);
  },
);

test('other forms of a word are marked too', async ({ project }) => {
  await updateProject(project, project.projectId, { searchLanguage: 'german' });
  await say(project, 'Der Schlüssel liegt bei den Schlüsseln');
  await fillAll(project);
  expect((await find(project, 'schlüssels'))?.messages.map(({ marked }) => marked)).toEqual([
    `der ${mark('schlüssel')} liegt bei den ${mark('schlüsseln')}`,
  ]);
});

test('PostgreSQL has every language', async ({ project: { sql } }) => {
  const rows = await sql<{ name: string }[]>`
    select cfgname as name from pg_ts_config where cfgnamespace = 'pg_catalog'::regnamespace and cfgname <> 'simple'`;
  expect(rows.map(({ name }) => name).toSorted()).toEqual(SearchLanguage.options);
});

test.for(['a_', '~/', '1a@', '1.a-', '<!--', './', 'a@1'])(
  'a long text of `%s` is indexed and found in time',
  async (unit, { project }) => {
    await say(project, `hello ${unit.repeat(40_000)}`);
    await fillAll(project);
    expect((await find(project, 'hello'))?.messages).toHaveLength(1);
  },
);

test('words are marked in the whole text, which has no marks of its own', async ({ project }) => {
  await say(project, `<b>Über</b> ${MARK_START}und${MARK_END} über & so`);
  await fillAll(project);
  const found = await find(project, 'über');
  expect(found?.messages.map(({ marked }) => marked)).toEqual([
    ` b ${mark('über')}  b  und ${mark('über')}   so`,
  ]);
});

test.for(['', '  ', '-', '"', 'or', '& | !', '()'])(
  '`%s` asks for nothing, and finds nothing',
  async (q, { project }) => {
    await say(project, 'or and not');
    await fillAll(project);
    expect(await find(project, q)).toMatchObject({
      hasWords: q === 'or',
      messages: expect.any(Array),
    });
    if (q !== 'or') expect((await find(project, q))?.messages).toEqual([]);
  },
);

test('page by page: each once, of one session, of one role, between two times', async ({
  project,
}) => {
  const one = await say(project, 'word 1', 'word 2', 'word 3');
  const rows = [
    typedText(one, { content: 'word 4', role: 'assistant' }),
    typedText(await project.newSession(), { content: 'word 5' }),
  ];
  for (const row of rows) await appendMessages(project, [row]);
  await fillAll(project);
  const all = await find(project, 'word');
  // Two sessions may have messages of one millisecond.
  expect(contentsOf(all)?.toSorted()).toEqual(['word 1', 'word 2', 'word 3', 'word 4', 'word 5']);
  const seen: (string | undefined)[] = [];
  let before: MessageSearch['before'];
  do {
    const page = await find(project, 'word', { limit: 2, before });
    seen.push(...(contentsOf(page) ?? []));
    before = page?.messages.at(-1)?.message;
  } while (before);
  expect(seen).toEqual(contentsOf(all));
  expect(contentsOf(await find(project, 'word', { sessionId: one, role: 'user' }))).toEqual([
    'word 3',
    'word 2',
    'word 1',
  ]);
  const timeOf = (content: string) =>
    all?.messages.find(({ message }) => message.content === content)?.message.timestamp;
  const [from, to] = [timeOf('word 1'), timeOf('word 3')];
  expect(contentsOf(await find(project, 'word', { sessionId: one, from, to }))).toEqual([
    'word 2',
    'word 1',
  ]);
});

test('erased messages and those of deleted sessions are not found, even while the index has them', async ({
  project,
}) => {
  const erased = await say(project, 'word one');
  const deleted = await say(project, 'word two');
  await say(project, 'word three');
  await fillAll(project);
  await project.sql`update messages set content = '', erased_at = now() where session_id = ${erased}`;
  await markSessionDeleted(project, deleted);
  expect(contentsOf(await find(project, 'word'))).toEqual(['word three']);
  expect(await project.sql`select from message_search`).toHaveLength(3);
});

test('only members search, and only in their project', async ({ project }) => {
  await say(project, 'a secret');
  const other = await project.newProject();
  await fillAll(project);
  expect(await find(project, 'secret', { userId: other.userId })).toBeUndefined();
  expect(contentsOf(await find({ ...project, ...other }, 'secret'))).toEqual([]);
  const member = await project.newMember();
  expect(contentsOf(await find(project, 'secret', { userId: member.userId }))).toEqual([
    'a secret',
  ]);
});

test('a page ends after 4 MiB', async ({ project }) => {
  const sessionId = await project.newSession();
  const content = `word ${'x '.repeat(600_000)}`;
  for (let count = 0; count < 5; count += 1) {
    await appendMessages(project, [typedText(sessionId, { content })]);
  }
  await fillAll(project);
  const page = await find(project, 'word');
  expect([page?.messages.length, page?.isFull]).toEqual([4, true]);
});

test('a search is planned for its values, and ends at its time limit', async ({ project }) => {
  const { projectId, userId, sql } = project;
  const search = { projectId, userId, q: 'word', limit: 51 };
  await sql.begin(async (transaction) => {
    await transaction`lock table message_search in access exclusive mode`;
    await expect(searchMessages({ sql }, search, 50)).rejects.toMatchObject({ code: '57014' });
  });
  await sql.begin(async (transaction) => {
    await searchMessages({ sql: transaction }, search, TIMEOUT_MS);
    const [plans] = await transaction`
      select generic_plans = 0 and custom_plans > 0 as "isPlanned" from pg_prepared_statements
      where statement like '/* search_messages */%'`;
    expect(plans).toEqual({ isPlanned: true });
  });
});

/** More messages than a search looks at one after another. */
const MANY = 2100;
const OLD = 60;

/** Stores messages that all contain `often`, and the first ones `old`. Every second message is an agent's. */
async function sayMuch(project: TestProject): Promise<string[]> {
  const sessionId = await project.newSession();
  const said = Array.from({ length: MANY }, (_, index) => ({
    ...typedText(sessionId, {
      content: `often ${index < OLD ? 'old' : 'new'} ${index}`,
    }),
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
  }));
  await appendMessages(project, said);
  await fillAll(project);
  await project.sql`analyze message_search, messages, sessions`;
  return said.map(({ content }) => content);
}

test('among many messages the old ones are found too, by pages and filters, each once', async ({
  project,
}) => {
  const said = await sayMuch(project);
  const old = said.slice(0, OLD).toReversed();
  const first = await find(project, 'old');
  expect(contentsOf(first)).toEqual(old.slice(0, 51));
  const last = first?.messages.at(-1)?.message;
  const before = last && { timestamp: last.timestamp, id: last.id };
  expect(contentsOf(await find(project, 'old', { before }))).toEqual(old.slice(51));
  const newest = said.toReversed();
  expect(contentsOf(await find(project, 'often'))).toEqual(newest.slice(0, 51));
  expect(contentsOf(await find(project, '"often old"', { role: 'user' }))).toEqual(
    old.filter((_, index) => index % 2 === 1),
  );
  expect(contentsOf(await find(project, '2099 or 3'))).toEqual([said[2099], said[3]]);
});

test('a search reads the messages that it returns alone, whatever the word and what PostgreSQL expects', async ({
  project,
}) => {
  await sayMuch(project);
  const { projectId, userId, sql } = project;
  for (const q of ['often', 'old', '"often old"']) {
    const given = [projectId, userId, q, null, null, 51, null, null, null, null, 'simple'];
    const [row] = await sql.begin(async (transaction) => {
      await transaction`select set_config('plan_cache_mode', 'force_custom_plan', true)`;
      return await transaction.unsafe(
        `explain (analyze, format json) ${SEARCH_MESSAGES.text}`,
        given,
      );
    });
    expect([q, messagesReadBy(row?.['QUERY PLAN'][0].Plan)]).toEqual([q, 51]);
  }
});

function messagesReadBy(plan: Record<string, unknown>): number {
  const own =
    plan['Relation Name'] === 'messages'
      ? Number(plan['Actual Rows']) * Number(plan['Actual Loops'])
      : 0;
  const parts = Array.isArray(plan['Plans']) ? plan['Plans'] : [];
  return parts.reduce((sum, part) => sum + messagesReadBy(part), own);
}
