import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { addAgent } from '../../../testing/agents.ts';
import { type TestProject, typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { listAgentTurns, summariseAgentTurns, WALKED_FOR_TURNS } from './agent-turns.ts';

const MADE = Date.parse('2000-01-01T12:00:00.000Z');
const STOPPED = MADE + 600_000;
const identity = 'agent-light-agent-1';

async function addOldAgent(project: TestProject) {
  const sessionId = await project.newOldSession();
  const agentId = await addAgent(project, { sessionId });
  await project.sql`
    update agents set status = 'Stopped', desired = 'stopped', created_at = ${new Date(MADE).toISOString()},
      stopped_at = ${new Date(STOPPED).toISOString()} where id = ${agentId}`;
  return { sessionId, agentId };
}

interface Said {
  readonly at?: number;
  readonly kind?: string;
  readonly role?: 'assistant' | 'user';
  readonly by?: string;
  readonly turn?: unknown;
  readonly marks?: object;
}

function said(sessionId: string, part: Said = {}) {
  const { at = 1000, kind = 'transcript', role = 'assistant', by = identity, marks } = part;
  const turn = 'turn' in part ? part.turn : { firstWordsMs: at };
  const metadata = { kind, participant: { identity: by }, ...(turn !== undefined && { turn }) };
  return typedText(sessionId, {
    receivedAt: MADE + at,
    kind,
    role,
    metadata: { ...metadata, ...marks },
  });
}

test('the newest turns come first, with their marks, and each page goes on where the one before ended', async ({
  project,
}) => {
  const { sessionId, agentId } = await addOldAgent(project);
  const messages = [
    said(sessionId, { at: 1, marks: { interrupted: true } }),
    said(sessionId, { at: 2, marks: { truncated: true } }),
    said(sessionId, { at: 3 }),
  ];
  await appendMessages(project, messages);
  const page = { agentId, identity, limit: 2 };
  const first = await listAgentTurns(project, { ...page, cursor: undefined });
  expect(first).toMatchObject({ isCursorKnown: true, end: null });
  expect(first.turns).toEqual([
    {
      messageId: messages[2]?.id,
      timestamp: '2000-01-01T12:00:00.003Z',
      isInterrupted: false,
      isTruncated: false,
      figures: { firstWordsMs: 3 },
    },
    expect.objectContaining({ messageId: messages[1]?.id, isTruncated: true }),
  ]);
  const cursor = first.turns.at(-1)?.messageId;
  const { turns } = await listAgentTurns(project, { ...page, cursor });
  expect(turns).toEqual([
    expect.objectContaining({ messageId: messages[0]?.id, isInterrupted: true }),
  ]);
});

test.for<[string, Said, boolean]>([
  ['an answer', {}, true],
  ['the answer of another agent', { by: 'agent-light-agent-2' }, false],
  ['an answer without figures', { turn: undefined }, false],
  ['figures that are none', { turn: 'soon' }, false],
  ['what a person said', { role: 'user' }, false],
  ['a state', { kind: 'state_change_notification' }, false],
  ['an answer from before the agent was made', { at: -1000 }, false],
  ['an answer that was on its way when it stopped', { at: 659_000 }, true],
  ['an answer from a minute after its end', { at: 661_000 }, false],
])('a turn of an agent: %s', async ([, part, isTurn], { project }) => {
  const { sessionId, agentId } = await addOldAgent(project);
  await appendMessages(project, [said(sessionId, part)]);
  const { turns } = await listAgentTurns(project, {
    agentId,
    identity,
    cursor: undefined,
    limit: 9,
  });
  const summary = await summariseAgentTurns(project, agentId, identity);
  expect([turns.length, summary.turns]).toEqual(isTurn ? [1, 1] : [0, 0]);
});

test('percentiles are times that were measured, null where none was', async ({ project }) => {
  const { sessionId, agentId } = await addOldAgent(project);
  const times = Array.from({ length: 20 }, (_, n) => (n + 1) * 100);
  await appendMessages(project, [
    ...times.map((ms) => said(sessionId, { at: ms, turn: { firstWordsMs: ms } })),
    said(sessionId, { at: 5000, turn: { firstWordsMs: 'soon', durationMs: 12.5 } }),
  ]);
  const nothing = { p50: null, p95: null };
  expect(await summariseAgentTurns(project, agentId, identity)).toEqual({
    turns: 21,
    endOfTurnMs: nothing,
    firstTokenMs: nothing,
    firstWordsMs: { p50: 1000, p95: 1900 },
    durationMs: { p50: 12.5, p95: 12.5 },
  });
  const unknown = await summariseAgentTurns(project, uuidv7(), identity);
  expect(unknown).toMatchObject({ turns: 0, firstWordsMs: nothing });
});

test('a long history is walked to its end: each turn comes once, also those at a cut', async ({
  project,
}) => {
  const { sessionId, agentId } = await addOldAgent(project);
  const messages = 2 * WALKED_FOR_TURNS + 7;
  await project.fill`
    insert into messages (session_id, id, "timestamp", role, kind, content, metadata)
    select ${sessionId}, gen_random_uuid(), ${new Date(MADE).toISOString()}::timestamptz + n * interval '10 ms',
      'assistant', 'transcript', 'content',
      jsonb_build_object('participant', jsonb_build_object('identity', ${identity}::text))
        || case when n in (1, 8, 4000, 5007, 5008, 5009, 10007) then jsonb_build_object('turn', jsonb_build_object('toolCalls', n)) else '{}' end
    from generate_series(1, ${messages}::int) n`;
  for (const limit of [1, 3]) {
    const found: unknown[] = [];
    let reads = 0;
    for (let cursor: string | null | undefined; cursor !== null; reads += 1) {
      const page = await listAgentTurns(project, { agentId, identity, cursor, limit });
      found.push(...page.turns.map(({ figures }) => figures));
      const isFull = page.turns.length === limit;
      cursor = isFull ? page.turns.at(-1)?.messageId : page.end;
    }
    expect(found).toEqual(
      [10_007, 5009, 5008, 5007, 4000, 8, 1].map((toolCalls) => ({ toolCalls })),
    );
    expect(reads).toBeLessThan(12);
  }
});

test('a message of another session is no cursor', async ({ project }) => {
  const { agentId } = await addOldAgent(project);
  const other = said(await project.newOldSession());
  await appendMessages(project, [other]);
  for (const cursor of [other.id, uuidv7()]) {
    const page = { agentId, identity, cursor, limit: 9 };
    expect(await listAgentTurns(project, page)).toMatchObject({ isCursorKnown: false });
  }
});
