import { createTestDatabase } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { unusedIndexes, wholeReads } from '../testing/index-reads.ts';
import { manyRowsId as id, insertManyRows, SMALL_TABLES } from '../testing/many-rows.ts';
import { typedText } from '../testing/project.ts';
import { type Database, openDatabase } from './client.ts';
import { prepareMembershipQueries } from './queries/accounts/memberships.ts';
import { prepareProjectQueries } from './queries/accounts/projects.ts';
import { prepareUserQueries } from './queries/accounts/users.ts';
import { prepareAgentLogQueries } from './queries/agents/agent-logs.ts';
import { prepareAgentQueries } from './queries/agents/agents.ts';
import { prepareStoppedAgentQueries } from './queries/agents/stopped-agents.ts';
import { prepareMessageQueries } from './queries/messages/messages.ts';
import { prepareIdempotencyKeyQueries } from './queries/operations/idempotency-keys.ts';
import { prepareStatisticsQueries } from './queries/operations/statistics.ts';
import { prepareRecorderQueries } from './queries/recording/recorders.ts';
import { prepareRecordingIntervalQueries } from './queries/recording/recording-intervals.ts';
import { prepareSlotQueries } from './queries/recording/slots.ts';
import { prepareDeletionQueries } from './queries/sessions/deletions.ts';
import { prepareIdleSessionQueries } from './queries/sessions/idle-sessions.ts';
import { prepareSessionQueries } from './queries/sessions/sessions.ts';
import { prepareEnvTemplateQueries } from './queries/templates/env-templates.ts';
import { preparePlanTemplateQueries } from './queries/templates/plan-templates.ts';

/** How often each step runs. The first run plans the statement, once for all values. */
const TIMES = 3;

/** `MESSAGES=1000000` compares, on so many messages, what each step takes with a generic plan and with a plan for its values. */
const MESSAGES = Number(process.env['MESSAGES'] ?? 0);

const SMALL = new Set([...SMALL_TABLES, 'agent_secrets']);

/** The number of the first session that these steps use: it has messages. */
const FIRST = 20;
const LEAST = '00000000-0000-0000-0000-000000000000';
const GREATEST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

type Steps = Readonly<Record<string, (turn: number) => Promise<unknown>>>;

test('no hot statement reads a whole table, and every index serves a statement', async () => {
  await using database = await createTestDatabase();
  await using own = openDatabase(database.url, { connections: 1, statementTimeoutMs: 60_000 });
  const { sql } = own;
  await insertManyRows(sql);
  await sql`select pg_stat_reset()`;
  const whole: string[] = [];
  let before = await wholeReads(sql);
  for (const [name, step] of Object.entries({
    ...reads(own),
    ...recording(own),
    ...writes(own),
  })) {
    for (let turn = 1; turn <= TIMES; turn += 1) await step(FIRST + turn);
    const after = await wholeReads(sql);
    for (const [table, count] of after) {
      if (count > (before.get(table) ?? 0) && !SMALL.has(table)) whole.push(`${name}: ${table}`);
    }
    before = after;
  }
  expect(whole).toEqual([]);
  expect(await unusedIndexes(sql)).toEqual([]);
});

test.runIf(MESSAGES > 0)(
  'each step with a generic plan and with one for its values',
  async () => {
    await using database = await createTestDatabase();
    await using own = openDatabase(database.url, { connections: 1, statementTimeoutMs: 600_000 });
    await insertManyRows(own.sql, MESSAGES);
    const steps = { ...reads(own), ...recording(own), ...writes(own) };
    const lines: string[] = [];
    for (const [name, step] of Object.entries(steps)) {
      const generic: number[] = [];
      const custom: number[] = [];
      for (let turn = 1; turn <= 18; turn += 1) {
        const mode = turn % 2 === 0 ? 'generic' : 'custom';
        await own.sql.unsafe(`set plan_cache_mode = force_${mode}_plan`);
        const from = performance.now();
        await step(FIRST + turn);
        (mode === 'generic' ? generic : custom).push(performance.now() - from);
      }
      lines.push(`| ${name} | ${middle(custom)} | ${middle(generic)} |`);
    }
    process.stdout.write(
      `| step | planned for its values, ms | generic, ms |\n${lines.join('\n')}\n`,
    );
    expect(lines).toHaveLength(Object.keys(steps).length);
  },
  3_600_000,
);

function middle(times: readonly number[]): string {
  return (times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0).toFixed(2);
}

/** What the API reads for its callers, about a session that has messages and its project. */
function reads(database: Database): Steps {
  const sessions = prepareSessionQueries(database);
  const messages = prepareMessageQueries(database);
  const projects = prepareProjectQueries(database);
  const members = prepareMembershipQueries(database);
  const agents = prepareAgentQueries(database);
  const logs = prepareAgentLogQueries(database);
  const users = prepareUserQueries(database);
  const envs = prepareEnvTemplateQueries(database);
  const plans = preparePlanTemplateQueries(database);
  const statistics = prepareStatisticsQueries(database);
  const since = '2026-01-01T00:00:00.000Z';
  const limit = 51;
  return {
    findUser: (n) => users.findUser(id('user', n)),
    findUserByEmail: (n) => users.findUserByEmail(`user-${n}@example.org`),
    findUserWithMemberships: (n) => users.findUserWithMemberships(id('user', n)),
    findProject: (n) => projects.findProject({ id: id('project', n), userId: id('user', n + 1) }),
    listProjects: (n) =>
      projects.listProjects({ userId: id('user', n + 1), before: GREATEST, limit }),
    listMembers: (n) => members.listMembers({ ...member(n), after: LEAST, limit }),
    findSession: (n) => sessions.findSession(session(n)),
    listSessions: (n) =>
      sessions.listSessions({ ...member(n + 1), status: 'ACTIVE', cursor: undefined, limit }),
    listSessionsOn: (n) =>
      sessions.listSessions({
        ...member(n + 1),
        status: undefined,
        cursor: id('session', n),
        limit,
      }),
    pageMessages: (n) => messages.pageMessages({ ...reader(n), cursor: undefined, limit }),
    pageMessagesOn: (n) => messages.pageMessages({ ...reader(n), cursor: id('message', n), limit }),
    pageMessagesFromStart: (n) =>
      messages.pageMessages({ ...reader(n), cursor: undefined, limit, order: 'asc' }),
    pageMessagesAfter: (n) =>
      messages.pageMessages({ ...reader(n), cursor: id('message', n), limit, order: 'asc' }),
    latestMessages: (n) => messages.latestMessages({ ...reader(n), since, limit }),
    latestMessagesOfReaders: (n) =>
      messages.latestMessagesOfReaders({
        ...reader(n),
        userIds: [id('user', n + 2)],
        since,
        limit,
      }),
    readStateMessages: (n) =>
      messages.readStateMessages({ ...reader(n), asOf: '2999-01-01T00:00:00.000Z' }),
    listStateMessages: (n) => messages.listStateMessages(id('session', n)),
    listNewestWords: (n) =>
      messages.listNewestWords({
        sessionId: id('session', n),
        limit,
        characters: 100,
        exceptFrom: ['agent-echo-agent-'],
      }),
    listTextsAfter: (n) =>
      messages.listTextsAfter({ sessionId: id('session', n), after: since, limit }),
    listLastWords: (n) => messages.listLastWords([id('session', n)], 200),
    listHeads: (n) => messages.listHeads([id('session', n)]),
    readMessagesForExport: (n) =>
      messages.readMessagesForExport({ ...reader(n), after: since, limit }),
    findMessage: (n) => messages.findMessage({ sessionId: id('session', n), id: id('user', n) }),
    filterStoredTexts: (n) =>
      messages.filterStoredTexts(id('session', n), [{ id: id('message', n), digest: '' }]),
    listMessagesWithoutRawId: (n) =>
      messages.listMessagesWithoutRawId(id('session', n), '2999-01-01T00:00:00.000Z'),
    findAgent: (n) => agents.findAgent({ ...session(n), id: id('agent', n) }),
    listAgents: (n) => agents.listAgents({ sessionId: id('session', n), before: GREATEST, limit }),
    listLiveAgentsOf: (n) => agents.listLiveAgentsOf([id('session', n)]),
    listLiveAgents: () => agents.listLiveAgents(),
    countLiveAgents: (n) => agents.countLiveAgents(id('project', n)),
    tailLog: (n) => logs.tailLog(id('agent', n), 200),
    listLogSince: (n) => logs.listLogSince(id('agent', n), 0),
    lookAtLogs: (n) => logs.lookAtLogs([{ agentId: id('agent', n), userId: id('user', n + 2) }]),
    listEnvTemplates: (n) =>
      envs.listEnvTemplates({ projectId: id('project', n), before: GREATEST, limit }),
    chooseEnvTemplate: (n) => envs.chooseEnvTemplate({ projectId: id('project', n), id: null }),
    findEnvTemplate: (n) => envs.findEnvTemplate({ id: id('env', n), userId: id('user', n + 1) }),
    listPlanTemplates: (n) =>
      plans.listPlanTemplates({ projectId: id('project', n), before: GREATEST, limit }),
    readStatistics: (n) => statistics.readStatistics(id('user', n)),
    countAgents: () => statistics.countAgents(),
  };
}

/** What recorders do continually. */
function recording(database: Database): Steps {
  const recorders = prepareRecorderQueries(database);
  const slotQueries = prepareSlotQueries(database);
  const intervals = prepareRecordingIntervalQueries(database);
  const messages = prepareMessageQueries(database);
  const recorderId = id('recorder', 1);
  const at = '2026-01-01T00:00:00.000Z';
  return {
    appendMessages: (n) => messages.appendMessages([typedText(id('session', n))]),
    startRecorder: () => recorders.startRecorder({ id: uuidv7(), capacity: 10 }),
    provideSlots: () => slotQueries.provideSlots(1, recorderId),
    provideSecondSlots: () => slotQueries.provideSlots(2, recorderId),
    claimNothing: () => slotQueries.claimSlots({ recorderId, limit: 16, capacity: 2000 }),
    claimSlots: async (n) => {
      await database.sql`
        update recording_assignments set recorder_id = null
        where session_id = ${id('session', 2 * n + 1)}`;
      await slotQueries.claimSlots({ recorderId, limit: 16, capacity: 2000 });
    },
    claimDeadSlots: async (n) => {
      const dead = id('recorder', n);
      await database.sql`
        update recorders set heartbeat_at = now() - interval '1 min' where id = ${dead}`;
      await slotQueries.claimSlots({ recorderId, limit: 16, capacity: 2000 });
    },
    markUnclaimableSessions: () => slotQueries.markUnclaimableSessions(recorderId, true),
    listSlots: () => slotQueries.listSlots(recorderId, 1),
    insertInterval: (n) =>
      intervals.insertInterval({
        sessionId: id('session', n),
        id: uuidv7(),
        recorderId,
        fromAt: at,
      }),
    updateUnsure: (n) =>
      intervals.updateUnsure([
        { sessionId: id('session', n), intervalId: uuidv7(), unsureFrom: at },
      ]),
    endDeadIntervals: () => intervals.endDeadIntervals(),
    listCoverage: (n) => intervals.listCoverage([id('session', n)]),
    listGaps: (n) => intervals.listGaps([id('session', n)]),
    listHandedOver: (n) => recorders.listHandedOver(recorderId, [id('session', n)]),
  };
}

/** What callers change, and what the housekeeping does afterwards. */
function writes(database: Database): Steps {
  const sessions = prepareSessionQueries(database);
  const agents = prepareAgentQueries(database);
  const stopped = prepareStoppedAgentQueries(database);
  const plans = preparePlanTemplateQueries(database);
  const envs = prepareEnvTemplateQueries(database);
  const deletions = prepareDeletionQueries(database);
  const keys = prepareIdempotencyKeyQueries(database);
  const idle = prepareIdleSessionQueries(database);
  const requestHash = Buffer.from('');
  return {
    insertSession: (n) =>
      sessions.insertSession({
        ...member(n),
        id: uuidv7(),
        name: '',
        createdBy: id('user', n + 1),
      }),
    insertSessionWithin: (n) =>
      sessions.insertSession(
        { ...member(n), id: uuidv7(), name: '', createdBy: id('user', n + 1) },
        1000,
      ),
    insertAgent: (n) =>
      agents.insertAgent(
        {
          id: uuidv7(),
          sessionId: id('session', 2 * n + 501),
          role: 'light-agent',
          planId: null,
          envTemplateId: null,
          config: {},
          createdBy: id('user', 1),
        },
        { agents: 20, allAgents: 1000 },
      ),
    claimKey: () => keys.claimKey({ scope: uuidv7(), key: 'key', requestHash, objectId: uuidv7() }),
    deleteExpiredKeys: () => keys.deleteExpiredKeys(10),
    markAttended: (n) => idle.markAttended([id('session', n)]),
    listBarredAgents: () => stopped.listBarredAgents(10),
    forgetBarredAgents: () => stopped.forgetBarredAgents(),
    closeSession: (n) => sessions.closeSession(id('session', 2 * n + 1), 'user'),
    listFinishedSessions: (n) => sessions.listFinishedSessions([id('session', 2 * n)]),
    deletePlanTemplate: (n) => plans.deletePlanTemplate(id('plan', n)),
    deleteEnvTemplate: (n) => envs.deleteEnvTemplate(id('env', n)),
    markSessionDeleted: (n) => deletions.markSessionDeleted(id('session', n)),
    markProjectDeleted: (n) => deletions.markProjectDeleted(id('project', n + 500)),
    listDeletedSessions: () => deletions.listDeletedSessions(10),
    deleteMessages: (n) => deletions.deleteMessages(id('session', n), 10),
    deleteSession: (n) => deletions.deleteSession(id('session', 1000 * (n - FIRST))),
    deleteProjects: () => deletions.deleteProjects(),
  };
}

/** A member of the `n`th project. */
function member(n: number) {
  return { projectId: id('project', n), userId: id('user', n + 1) };
}

/** The `n`th session, which is in the project after the `n`th, and one of its members. */
function session(n: number) {
  return { id: id('session', n), userId: id('user', n + 2) };
}

function reader(n: number) {
  return { sessionId: id('session', n), userId: id('user', n + 2) };
}
