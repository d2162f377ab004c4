import { readFile } from 'node:fs/promises';
import { createFormerDatabase } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { newAgentTemplate } from '../../testing/agent-templates.ts';
import { addAgent } from '../../testing/agents.ts';
import { createTestProject, typedText } from '../../testing/project.ts';
import { openDatabase } from '../connection/client.ts';
import type { NewMessageRow } from '../schema/messages.ts';
import { migrate } from '../startup/migrate.ts';
import { insertAgentTemplate } from './agent-templates/agent-template-changes.ts';
import { markAgentStarted } from './agents/agent-changes.ts';
import { restartAgent } from './agents/agent-restarts.ts';
import { listLiveAgents } from './agents/agents.ts';
import { appendMessages } from './messages/append-messages.ts';
import { startRecorder } from './recording/recorders.ts';
import { claimSlots, listSlots } from './recording/slots.ts';

// During a rolling update, recorders and APIs of the former release run alongside new ones. The folder former-release holds the
// statements of that release, which must keep their meaning on the new schema.

const MESSAGES = 400;
const SESSIONS = 60;

test('a database of the former release is migrated with its rows, and migrated once', async () => {
  await using database = await createFormerDatabase(7);
  await using own = openDatabase(database.url, { connections: 1 });
  const id = uuidv7();
  await own.sql`insert into recorders (id, capacity) values (${id}, 200)`;
  await migrate(database.url);
  await migrate(database.url);
  const applied = await own.sql`select hash from drizzle.__drizzle_migrations`;
  expect(new Set(applied.map(({ hash }) => hash)).size).toBe(applied.length);
  expect(await own.sql`select id, capacity, clock_offset_ms from recorders`).toEqual([
    { id, capacity: 200, clock_offset_ms: '0' },
  ]);
});

test('what a former and a new recorder store at the same time is stored once, in order', async () => {
  await using project = await createTestProject();
  const sessions = await project.newSessions(3);
  const all = Array.from({ length: MESSAGES }, (_, index) =>
    typedText(sessions[index % sessions.length] ?? '', { content: `sentence ${index}` }),
  );
  const append = await formerStatement('append_messages');
  const formerly = async (batch: readonly NewMessageRow[]) => {
    await project.sql.unsafe(append, [JSON.stringify(batch.map(formerRow))], { prepare: true });
  };
  const now = async (batch: readonly NewMessageRow[]) => {
    const { lockedSessions } = await appendMessages(project, batch, { waitForLocks: false });
    const left = batch.filter(({ sessionId }) => lockedSessions.includes(sessionId));
    if (left.length > 0) await now(left);
  };
  // Both received everything, and flush batches of their own sizes.
  await Promise.all([inBatches(all, 7, formerly), inBatches(all, 11, now)]);
  for (const sessionId of sessions) {
    const rows = await project.sql`
      select content, "timestamp" as at from messages where session_id = ${sessionId} order by "timestamp"`;
    const expected = all.filter((message) => message.sessionId === sessionId);
    expect(rows.map(({ content }) => content)).toEqual(expected.map(({ content }) => content));
    expect(new Set(rows.map(({ at }) => at)).size).toBe(rows.length);
    const [head] = await project.sql`
      select message_count::int as count, last_at from session_heads where session_id = ${sessionId}`;
    expect(head).toEqual({ count: rows.length, last_at: rows.at(-1)?.['at'] });
  }
});

test('former and new recorders claim each slot once, and take each other’s heartbeats for life', async () => {
  await using project = await createTestProject();
  const sessions = await project.newSessions(SESSIONS);
  const [formerId, newId] = [uuidv7(), uuidv7()];
  const run = async (name: string, parameters: (string | number | boolean | null)[]) =>
    await project.sql.unsafe(await formerStatement(name), parameters, { prepare: true });
  await run('start_recorder', [formerId, 200]);
  const { recorderEpoch } = await startRecorder(project, {
    id: newId,
    capacity: 200,
  });
  const at = new Date().toISOString();
  expect(await run('update_heartbeat', [formerId, 1, 0, false, at, null])).toHaveLength(1);
  const claimed = await Promise.all(
    Array.from({ length: 8 }, async (_, turn) =>
      turn % 2 === 0
        ? (await run('claim_slots', [formerId, 10, 200, true])).map((row) =>
            String(row['sessionId']),
          )
        : (await claimSlots(project, { recorderId: newId, limit: 10, capacity: 200 })).map(
            ({ sessionId }) => sessionId,
          ),
    ),
  );
  const got = claimed.flat();
  expect(new Set(got).size).toBe(got.length);
  expect(sessions).toEqual(expect.arrayContaining(got));
  const listed = [
    ...(await run('list_slots', [formerId, 1])).map((row) => String(row['sessionId'])),
    ...(await listSlots(project, newId, recorderEpoch, true)).map(({ sessionId }) => sessionId),
  ];
  expect(listed.toSorted()).toEqual(got.toSorted());
});

test('an agent that an API of the former release started is never restarted, and both releases move it on', async () => {
  await using project = await createTestProject();
  const run = async (name: string, parameters: (string | number | null)[]) =>
    await project.sql.unsafe(await formerStatement(name), parameters, { prepare: true });
  const [former, restarted] = [uuidv7(), await addAgent(project, { restartPolicy: 'on-failure' })];
  const sessionId = await project.newSession();
  const nothing = [null, null, null];
  await run('insert_agent', [former, sessionId, 'light-agent', null, null, '{}', project.userId]);
  await run('mark_agent_started', [former]);
  await markAgentStarted(project, restarted);
  await restartAgent(project, restarted, { reason: 'crashed', delayMs: 0, restarts: 0 });
  expect(await listLiveAgents(project)).toMatchObject(
    [
      { id: restarted, restarts: 1, restartPolicy: 'on-failure' },
      { id: former, restarts: 0, restartPolicy: 'never', restartInMs: null, endsMsAgo: [] },
    ].toSorted((a, b) => a.id.localeCompare(b.id)),
  );
  for (const id of [former, restarted]) {
    expect(await run('update_agent_state', [id, 'Running', ...nothing])).toHaveLength(1);
    expect(await run('update_agent_state', [id, 'Stopped', 'completed', null, 0])).toHaveLength(1);
  }
  expect(await listLiveAgents(project)).toEqual([]);
});

test('a former process waits for ever with an agent that has a template, and a new one starts it', async () => {
  await using project = await createTestProject();
  const template = newAgentTemplate(project);
  await insertAgentTemplate(project, template);
  const agentTemplate = { id: template.id, version: 1, values: {} };
  const id = await addAgent(project, { role: 'light-agent', agentTemplate });
  const formerly = async () =>
    (await project.sql.unsafe(await formerStatement('list_live_agents'), [], { prepare: true }))[0];
  expect(await formerly()).toMatchObject({ id, restartInMs: Number.POSITIVE_INFINITY });
  expect(await listLiveAgents(project)).toMatchObject([{ id, restartInMs: null }]);
  await markAgentStarted(project, id);
  expect(await formerly()).toMatchObject({ id, restartInMs: null });
  expect(await listLiveAgents(project)).toMatchObject([{ id, startedAt: expect.any(String) }]);
});

test('a former process starts no agent beside a new one of the role, and sees agents of one role apart', async () => {
  await using project = await createTestProject();
  const run = async (name: string, parameters: (string | null)[] = []) =>
    await project.sql.unsafe(await formerStatement(name), parameters, { prepare: true });
  const sessionId = await project.newSession();
  const ids = [];
  for (let count = 0; count < 2; count += 1) {
    const template = newAgentTemplate(project);
    await insertAgentTemplate(project, template);
    const agentTemplate = { id: template.id, version: 1, values: {} };
    ids.push(await addAgent(project, { sessionId, role: 'light-agent', agentTemplate }));
  }
  const parameters = [uuidv7(), sessionId, 'light-agent', null, null, '{}', project.userId];
  expect(await run('insert_agent', parameters)).toMatchObject([
    { isActive: true, isInserted: false },
  ]);
  const listed = await run('list_live_agents');
  expect(listed.map(({ id }) => id)).toEqual(ids);
  expect(new Set(listed.map(({ role }) => role)).size).toBe(2);
  expect((await listLiveAgents(project)).map(({ role }) => role)).toEqual([
    'light-agent',
    'light-agent',
  ]);
});

async function inBatches<T>(
  all: readonly T[],
  size: number,
  store: (batch: readonly T[]) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < all.length; from += size) await store(all.slice(from, from + size));
}

async function formerStatement(name: string): Promise<string> {
  const file = new URL(`../../testing/former-release/${name}.sql`, import.meta.url);
  return await readFile(file, 'utf8');
}

/** Returns a row as the former release sent it. */
function formerRow(message: NewMessageRow) {
  const { sessionId, id, receivedAt, role, status, kind, content, metadata, intervalId } = message;
  const received = Math.floor(receivedAt);
  const keys = { session_id: sessionId, id, received_ms: received, interval_id: intervalId };
  return { ...keys, role, status, kind, content, metadata };
}
