import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { createTestProject, typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { appendMessages } from './append-messages.ts';
import { listLastWords, listNewestWords, listTextsAfter } from './spoken-messages.ts';

const EARLY = '2000-01-01T00:00:00.000Z';

test('only what was written or spoken comes, the newest first, with marks, and cut to its length', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  // The role of this agent begins like the role of the other agent.
  const participant = { identity: 'agent-echo-loud-0a1b2c3d', name: '' };
  const say = (part: Parameters<typeof typedText>[1]) =>
    appendMessages(project, [typedText(sessionId, part)]);
  await say({ content: 'older' });
  await say({ content: 'hello', metadata: { rawId: 'r1', idConflict: true } });
  await say({ kind: 'state_change_notification', role: 'system', content: 'ready' });
  const echo = { participant: { identity: 'agent-echo-0a1b2c3d', name: '' } };
  await say({ role: 'assistant', content: 'You said: hello', metadata: echo });
  const spoken = { kind: 'transcript', role: 'assistant' } as const;
  await say({ ...spoken, content: 'Good morning', metadata: { participant, interrupted: true } });
  await say({ ...spoken, content: 'How', status: 'pending', metadata: null });
  const found = await listNewestWords(project, {
    sessionId,
    limit: 3,
    characters: 4,
    exceptFrom: ['agent-echo-'],
  });
  const nobody = { identity: null, name: null, rawId: null, hasIdConflict: false };
  const row = { id: expect.any(String), timestamp: expect.stringMatching(/Z$/) };
  expect(found).toEqual([
    { ...row, ...nobody, ...spoken, content: 'How', isCut: true },
    { ...row, ...nobody, ...spoken, ...participant, content: 'Good', isCut: true },
    {
      ...row,
      ...nobody,
      kind: 'text',
      role: 'user',
      content: 'hell',
      rawId: 'r1',
      hasIdConflict: true,
      isCut: false,
    },
  ]);
});

test('texts of persons come after a time, the oldest first: no answers, no speech, none that still grows', async ({
  project,
}) => {
  const sessionId = await project.newOldSession();
  const at = (second: number) => Date.parse(EARLY) + 1000 * second;
  const texts = ['one', 'two', 'three', 'four'].map((content, second) =>
    typedText(sessionId, { content, receivedAt: at(second + 1) }),
  );
  const others = [
    { role: 'assistant' as const },
    { kind: 'transcript' },
    { status: 'pending' as const },
    { role: 'system' as const, kind: 'participant_joined', status: null },
  ].map((part) => typedText(sessionId, { ...part, receivedAt: at(2.5) }));
  await appendMessages(project, [...texts.slice(0, 2), ...others, ...texts.slice(2)]);
  await appendMessages(project, [typedText(await project.newSession())]);
  const listed = async (after: string, limit = 10) =>
    (await listTextsAfter(project, { sessionId, after, limit })).map(({ content }) => content);
  expect(await listed(EARLY)).toEqual(['one', 'two', 'three', 'four']);
  expect(await listed(new Date(at(1)).toISOString(), 2)).toEqual(['three', 'four']);
  expect(await listed(new Date(at(60)).toISOString())).toEqual([]);
});

test('with spokenBefore, what persons spoke before that time is returned too', async ({
  project,
}) => {
  const sessionId = await project.newOldSession();
  const spoken = { kind: 'transcript', content: 'spoken' } as const;
  const messages = [
    { content: 'typed' },
    spoken,
    { ...spoken, role: 'assistant' as const },
    { ...spoken, status: 'pending' as const },
    { ...spoken, content: 'later' },
    { content: 'typed later' },
  ].map((part, second) =>
    typedText(sessionId, { ...part, receivedAt: Date.parse(EARLY) + 1000 * (second + 1) }),
  );
  await appendMessages(project, messages);
  const of = { sessionId, after: EARLY, limit: 10 };
  const listed = await listTextsAfter(project, { ...of, spokenBefore: '2000-01-01T00:00:05.000Z' });
  expect(listed.map(({ content }) => content)).toEqual(['typed', 'spoken', 'typed later']);
});

test('words behind thousands of events are not searched for, so that no start waits for them', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  await appendMessages(project, [typedText(sessionId)]);
  const event = { role: 'system', kind: 'participant_joined', status: null } as const;
  const events = Array.from({ length: 2000 }, () =>
    typedText(sessionId, { ...event, id: uuidv7() }),
  );
  await appendMessages(project, events);
  const words = { sessionId, limit: 10, characters: 10, exceptFrom: [] };
  expect(await listNewestWords(project, words)).toEqual([]);
  await appendMessages(project, [typedText(sessionId)]);
  expect(await listNewestWords(project, words)).toHaveLength(1);
});

test('the newest words of each session come, also pending ones, cut between code points; a silent session is left out', async ({
  project,
}) => {
  const [typed = '', spoken = '', silent = '', empty = ''] = await project.newSessions(4);
  const event = { kind: 'participant_left', role: 'system', status: null } as const;
  const growing = { kind: 'transcript', role: 'assistant', status: 'pending' } as const;
  await appendMessages(project, [
    typedText(typed, { content: 'older' }),
    typedText(typed, { content: 'ab👩🏽‍🚀c' }),
    typedText(typed, event),
    typedText(spoken, { ...growing, content: 'Good mor' }),
    typedText(silent, event),
  ]);
  const found = await listLastWords(project, [empty, silent, spoken, typed, uuidv7()], 3);
  const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(found).toHaveLength(2);
  expect(new Map(found.map((words) => [words.sessionId, words]))).toEqual(
    new Map<string, object>([
      [typed, { sessionId: typed, role: 'user', kind: 'text', content: 'ab👩', timestamp }],
      [
        spoken,
        {
          sessionId: spoken,
          role: 'assistant',
          kind: 'transcript',
          content: 'Goo',
          timestamp,
        },
      ],
    ]),
  );
  expect(await listLastWords(project, [], 3)).toEqual([]);
});

test('a list of sessions reads only the newest messages of a session of 100,000, and finds no words behind them', async () => {
  await using project = await createTestProject();
  const sessionId = await project.newSession();
  await appendMessages(project, [typedText(sessionId)]);
  expect(await listLastWords(project, [sessionId], 200)).toHaveLength(1);
  await project.fill`
    insert into messages (session_id, id, "timestamp", role, kind, content)
    select ${sessionId}, gen_random_uuid(), now() + n * interval '1 s', 'system', 'participant_left', 'left'
    from generate_series(1, 100000) n`;
  await project.fill`analyze messages`;
  const { found, read } = await project.sql.begin(async (sql) => {
    const words = await listLastWords({ sql }, [sessionId], 200);
    const [row] = await sql<{ rows: number }[]>`
      select (seq_tup_read + idx_tup_fetch)::int as rows
      from pg_stat_xact_user_tables where relname = 'messages'`;
    return { found: words, read: row?.rows };
  });
  expect(found).toEqual([]);
  // PostgreSQL may fetch the row at which it stops.
  expect(read).toBeLessThanOrEqual(201);
});
