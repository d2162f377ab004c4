import { readdir, readFile } from 'node:fs/promises';
import { createTestDatabase } from '@session/testing';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import * as client from './client.ts';
import * as notifyStored from './notify-stored.ts';
import * as agentChanges from './queries/agent-changes.ts';
import * as agentInsertion from './queries/agent-insertion.ts';
import * as agentLogAppends from './queries/agent-log-appends.ts';
import * as agentLogPositions from './queries/agent-log-positions.ts';
import * as agentLogs from './queries/agent-logs.ts';
import * as agentRestarts from './queries/agent-restarts.ts';
import * as agentSecrets from './queries/agent-secrets.ts';
import * as agentTimeline from './queries/agent-timeline.ts';
import * as agents from './queries/agents.ts';
import * as appendBatch from './queries/append-batch.ts';
import * as appendMessages from './queries/append-messages.ts';
import * as claimSlots from './queries/claim-slots.ts';
import * as coverage from './queries/coverage.ts';
import * as deletions from './queries/deletions.ts';
import * as envTemplateChanges from './queries/env-template-changes.ts';
import * as envTemplates from './queries/env-templates.ts';
import * as idempotencyKeys from './queries/idempotency-keys.ts';
import * as idleSessions from './queries/idle-sessions.ts';
import * as leases from './queries/leases.ts';
import * as membershipChanges from './queries/membership-changes.ts';
import * as memberships from './queries/memberships.ts';
import * as messages from './queries/messages.ts';
import * as monitoredSessions from './queries/monitored-sessions.ts';
import * as participantNames from './queries/participant-names.ts';
import * as planTemplates from './queries/plan-templates.ts';
import * as projects from './queries/projects.ts';
import * as readMessages from './queries/read-messages.ts';
import * as recorderStatistics from './queries/recorder-statistics.ts';
import * as recorders from './queries/recorders.ts';
import * as recordingIntervals from './queries/recording-intervals.ts';
import * as refusedGaps from './queries/refused-gaps.ts';
import * as removedMembers from './queries/removed-members.ts';
import * as sayMessage from './queries/say-message.ts';
import * as sealedTemplates from './queries/sealed-templates.ts';
import * as serviceCounts from './queries/service-counts.ts';
import * as sessionEnd from './queries/session-end.ts';
import * as sessionInsertion from './queries/session-insertion.ts';
import * as sessions from './queries/sessions.ts';
import * as slots from './queries/slots.ts';
import * as spokenMessages from './queries/spoken-messages.ts';
import * as stateMessages from './queries/state-messages.ts';
import * as statistics from './queries/statistics.ts';
import * as users from './queries/users.ts';
import { statement } from './statement.ts';

interface NamedText {
  readonly name: string;
  readonly text: string;
}

/** The statements of every module that makes any, by its file. */
const MODULES: Readonly<Record<string, readonly NamedText[]>> = {
  'client.ts': statementsIn(client),
  'notify-stored.ts': statementsIn(notifyStored),
  'queries/agent-changes.ts': statementsIn(agentChanges),
  'queries/agent-insertion.ts': statementsIn(agentInsertion),
  'queries/agent-log-appends.ts': statementsIn(agentLogAppends),
  'queries/agent-log-positions.ts': statementsIn(agentLogPositions),
  'queries/agent-logs.ts': statementsIn(agentLogs),
  'queries/agent-restarts.ts': statementsIn(agentRestarts),
  'queries/agent-secrets.ts': statementsIn(agentSecrets),
  'queries/agent-timeline.ts': statementsIn(agentTimeline),
  'queries/agents.ts': statementsIn(agents),
  'queries/append-batch.ts': statementsIn(appendBatch),
  'queries/append-messages.ts': statementsIn(appendMessages),
  'queries/claim-slots.ts': statementsIn(claimSlots),
  'queries/coverage.ts': statementsIn(coverage),
  'queries/deletions.ts': statementsIn(deletions),
  'queries/env-template-changes.ts': statementsIn(envTemplateChanges),
  'queries/env-templates.ts': statementsIn(envTemplates),
  'queries/idempotency-keys.ts': statementsIn(idempotencyKeys),
  'queries/idle-sessions.ts': statementsIn(idleSessions),
  'queries/leases.ts': statementsIn(leases),
  'queries/membership-changes.ts': statementsIn(membershipChanges),
  'queries/memberships.ts': statementsIn(memberships),
  'queries/messages.ts': statementsIn(messages),
  'queries/monitored-sessions.ts': statementsIn(monitoredSessions),
  'queries/participant-names.ts': statementsIn(participantNames),
  'queries/plan-templates.ts': statementsIn(planTemplates),
  'queries/projects.ts': statementsIn(projects),
  'queries/read-messages.ts': statementsIn(readMessages),
  'queries/recorder-statistics.ts': statementsIn(recorderStatistics),
  'queries/recorders.ts': statementsIn(recorders),
  'queries/recording-intervals.ts': statementsIn(recordingIntervals),
  'queries/refused-gaps.ts': statementsIn(refusedGaps),
  'queries/removed-members.ts': statementsIn(removedMembers),
  'queries/say-message.ts': statementsIn(sayMessage),
  'queries/sealed-templates.ts': statementsIn(sealedTemplates),
  'queries/service-counts.ts': statementsIn(serviceCounts),
  'queries/session-end.ts': statementsIn(sessionEnd),
  'queries/session-insertion.ts': statementsIn(sessionInsertion),
  'queries/sessions.ts': statementsIn(sessions),
  'queries/slots.ts': statementsIn(slots),
  'queries/spoken-messages.ts': statementsIn(spokenMessages),
  'queries/state-messages.ts': statementsIn(stateMessages),
  'queries/statistics.ts': statementsIn(statistics),
  'queries/users.ts': statementsIn(users),
};

const STATEMENTS = Object.values(MODULES).flat();

const sourceFolder = new URL('./', import.meta.url);

function statementsIn(module: object): NamedText[] {
  return Object.values(module).filter(isStatement);
}

function isStatement(value: unknown): value is NamedText {
  return typeof value === 'object' && value !== null && 'run' in value && 'text' in value;
}

test('every statement parses, and names only tables and columns that the migrations create', async () => {
  await using database = await createTestDatabase();
  const sql = postgres(database.url, { max: 1, onnotice: () => {} });
  const faults: string[] = [];
  for (const { name, text } of STATEMENTS) {
    await sql.unsafe(`prepare ${name} as ${text}`).catch((error: Error) => {
      faults.push(`${name}: ${error.message}`);
    });
  }
  await sql.end();
  expect(faults).toEqual([]);
});

test('every statement takes as many parameters as its text has, without a gap in their numbers', async () => {
  await using database = await createTestDatabase();
  const sql = postgres(database.url, { max: 1, onnotice: () => {} });
  for (const { name, text } of STATEMENTS) await sql.unsafe(`prepare ${name} as ${text}`);
  const prepared = await sql<{ name: string; count: number }[]>`
    select name, cardinality(parameter_types) as count from pg_prepared_statements where from_sql`;
  await sql.end();
  expect(prepared).toHaveLength(STATEMENTS.length);
  const texts = new Map(STATEMENTS.map(({ name, text }) => [name, text]));
  for (const { name, count } of prepared) {
    const numbers = new Set(texts.get(name)?.match(/\$\d+/g));
    expect([name, numbers.size]).toEqual([name, count]);
  }
});

test('the names of statements are unique and in snake case, so that a slow one in PostgreSQL leads to one function', () => {
  const names = STATEMENTS.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
  expect(names.filter((name) => !/^[a-z]+(_[a-z]+)*$/.test(name))).toEqual([]);
});

test('no statement escapes these tests: each module that makes any is listed, and exports them all', async () => {
  const files = await readdir(sourceFolder, { recursive: true });
  const made = new Map<string, number>();
  for (const file of files.filter((name) => /(?<!\.test)\.ts$/.test(name))) {
    const source = await readFile(new URL(file, sourceFolder), 'utf8');
    const { length } = source.match(/(?<!function )\bstatement[<(]/g) ?? [];
    if (length > 0) made.set(file, length);
  }
  const listed = Object.entries(MODULES).map(([file, { length }]) => [file, length]);
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(made));
});

test('every query module has a test file of its own name', async () => {
  const files = await readdir(new URL('queries/', sourceFolder));
  const untested = files
    .filter((file) => !file.endsWith('.test.ts'))
    .filter((file) => !files.includes(file.replace(/\.ts$/, '.test.ts')));
  expect(untested).toEqual([]);
});

test('a statement runs prepared, under its name, and returns rows with their count', async () => {
  await using database = await createTestDatabase();
  await using own = client.openDatabase(database.url, { connections: 1 });
  const double = statement<[number: number], { doubled: number }>(
    'double',
    '\nselect 2 * $1::int as doubled\n',
  );
  const rows = await double.run(own.sql, 21);
  expect([[...rows], rows.count]).toEqual([[{ doubled: 42 }], 1]);
  await double.run(own.sql, 4);
  const prepared = await own.sql`
    select statement, generic_plans + custom_plans as runs from pg_prepared_statements
    where statement like '%doubled%' and statement not like '%pg_prepared_statements%'`;
  expect(prepared).toEqual([
    { statement: '/* double */ select 2 * $1::int as doubled', runs: '2' },
  ]);
});
