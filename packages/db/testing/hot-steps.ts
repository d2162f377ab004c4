import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../src/connection/client.ts';
import * as db from '../src/index.ts';
import { FIND_SESSIONS } from '../src/queries/sessions/session-search.ts';
import { auditSteps } from './audit-steps.ts';
import { erasureSteps } from './erasure-steps.ts';
import { linkSteps } from './link-steps.ts';
import { manyRowsId as id } from './many-rows.ts';
import { typedText } from './project.ts';
import { searchSteps } from './search-steps.ts';
import { sequenceSteps } from './sequence-steps.ts';
import { webhookSteps } from './webhook-steps.ts';

const LEAST = '00000000-0000-0000-0000-000000000000';
const GREATEST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The number of the first session that these steps use: it has messages. */
export const FIRST = 20;

type Steps = Readonly<Record<string, (turn: number) => Promise<unknown>>>;

/** Returns what API and recorder do often, each by the number of a session of `insertManyRows` that has messages. */
export function stepsOf(own: Database): Steps {
  return {
    ...reads(own),
    ...recording(own),
    ...auditSteps(own),
    ...writes(own),
    ...linkSteps(own),
    ...webhookSteps(own),
    ...searchSteps(own),
    ...sequenceSteps(own),
    ...erasureSteps(own),
  };
}

/** What the API reads for its callers, about a session that has messages and its project. */
function reads(database: Database): Steps {
  const since = '2026-01-01T00:00:00.000Z';
  const limit = 51;
  return {
    findUser: (n) => db.findUser(database, id('user', n)),
    findUserByEmail: (n) => db.findUserByEmail(database, `user-${n}@example.org`),
    findUserWithMemberships: (n) => db.findUserWithMemberships(database, id('user', n)),
    findProject: (n) =>
      db.findProject(database, { id: id('project', n), userId: id('user', n + 1) }),
    listProjects: (n) =>
      db.listProjects(database, { userId: id('user', n + 1), before: GREATEST, limit }),
    listMembers: (n) => db.listMembers(database, { ...member(n), after: LEAST, limit }),
    findSecret: (n) => db.findSecret(database, `key${n}`),
    listApiKeys: (n) => db.listApiKeys(database, { ...member(n), before: GREATEST, limit }),
    findApiKey: (n) => db.findApiKey(database, { id: id('service', n), userId: id('user', n + 1) }),
    findSession: (n) => db.findSession(database, session(n)),
    listSessions: (n) =>
      db.listSessions(database, { ...member(n + 1), status: 'ACTIVE', cursor: undefined, limit }),
    listSessionsOn: (n) =>
      db.listSessions(database, {
        ...member(n + 1),
        status: undefined,
        cursor: id('session', n),
        limit,
      }),
    listSessionsFromOldest: (n) =>
      db.listSessions(database, { ...member(n + 1), order: 'asc', limit }),
    searchSessions: (n) => db.listSessions(database, { ...member(n + 1), q: 'session', limit }),
    findSessions: (n) => {
      const { projectId, userId } = member(n + 1);
      const page = [projectId, userId, limit, null, null, null] as const;
      return FIND_SESSIONS(database, ...page, '{"customer":"c-17"}', 'none', null);
    },
    listSessionOfExternalId: (n) =>
      db.listSessions(database, { ...member(n + 1), externalId: 'order', limit }),
    listEndUsers: (n) => db.listEndUsers(database, { ...member(n + 1), limit }),
    listSessionsOfEndUser: (n) =>
      db.listSessions(database, { ...member(n + 1), endUserId: id('end_user', n), limit }),
    pageMessages: (n) => db.pageMessages(database, { ...reader(n), cursor: undefined, limit }),
    pageMessagesOn: (n) =>
      db.pageMessages(database, { ...reader(n), cursor: id('message', n), limit }),
    pageMessagesFromStart: (n) =>
      db.pageMessages(database, { ...reader(n), cursor: undefined, limit, order: 'asc' }),
    pageMessagesAfter: (n) =>
      db.pageMessages(database, { ...reader(n), cursor: id('message', n), limit, order: 'asc' }),
    latestMessages: (n) => db.latestMessages(database, { ...reader(n), since, limit }),
    latestMessagesOfReaders: (n) =>
      db.latestMessagesOfReaders(database, {
        ...reader(n),
        userIds: [id('user', n + 2)],
        since,
        limit,
      }),
    readStateMessages: (n) =>
      db.readStateMessages(database, { ...reader(n), asOf: '2999-01-01T00:00:00.000Z' }),
    listStateMessages: (n) => db.listStateMessages(database, id('session', n)),
    listNewestToolCalls: (n) =>
      db.listNewestToolCalls(database, {
        sessionId: id('session', n),
        from: ['agent-light-agent-1'],
        limit,
      }),
    listAgentTurns: (n) =>
      db.listAgentTurns(database, {
        agentId: id('agent', n),
        identity: 'agent-light-agent-1',
        cursor: id('message', n),
        limit,
      }),
    summariseAgentTurns: (n) =>
      db.summariseAgentTurns(database, id('agent', n), 'agent-light-agent-1'),
    listNewestWords: (n) =>
      db.listNewestWords(database, {
        sessionId: id('session', n),
        limit,
        characters: 100,
        exceptFrom: ['agent-echo-agent-'],
      }),
    listTextsAfter: (n) =>
      db.listTextsAfter(database, { sessionId: id('session', n), after: since, limit }),
    listLastWords: (n) => db.listLastWords(database, [id('session', n)], 200),
    listHeads: (n) => db.listHeads(database, [id('session', n)]),
    listFormerReaders: (n) => db.listFormerReaders(database, [reader(n)]),
    listSessionEvents: (n) =>
      db.listSessionEvents(database, { sessionId: id('session', n), since, until: since }),
    readMessagesForExport: (n) =>
      db.readMessagesForExport(database, { ...reader(n), after: since, limit }),
    findMessage: (n) =>
      db.findMessage(database, { sessionId: id('session', n), id: id('user', n) }),
    filterStoredTexts: (n) =>
      db.filterStoredTexts(database, id('session', n), [{ id: id('message', n), digest: '' }]),
    listMessagesWithoutRawId: (n) =>
      db.listMessagesWithoutRawId(database, id('session', n), '2999-01-01T00:00:00.000Z'),
    findAgent: (n) => db.findAgent(database, { ...session(n), id: id('agent', n) }),
    listAgents: (n) =>
      db.listAgents(database, { sessionId: id('session', n), before: GREATEST, limit }),
    listLiveAgentsOf: (n) => db.listLiveAgentsOf(database, [id('session', n)]),
    listLiveAgents: () => db.listLiveAgents(database),
    listLiveWorkloads: () => db.listLiveWorkloads(database),
    countLiveAgents: (n) => db.countLiveAgents(database, id('project', n)),
    tailLog: (n) => db.tailLog(database, id('agent', n), 200),
    listLogSince: (n) => db.listLogSince(database, id('agent', n), 0),
    lookAtLogs: (n) =>
      db.lookAtLogs(database, [{ agentId: id('agent', n), userId: id('user', n + 2) }]),
    listEnvTemplates: (n) =>
      db.listEnvTemplates(database, { projectId: id('project', n), before: GREATEST, limit }),
    chooseEnvTemplate: (n) =>
      db.chooseEnvTemplate(database, { projectId: id('project', n), id: null }),
    findEnvTemplate: (n) =>
      db.findEnvTemplate(database, { id: id('env', n), userId: id('user', n + 1) }),
    listAgentTemplates: (n) =>
      db.listAgentTemplates(database, { projectId: id('project', n), before: GREATEST, limit }),
    findAgentTemplate: (n) =>
      db.findAgentTemplate(database, { id: id('template', n), userId: id('user', n) }),
    findAgentTemplateVersion: (n) =>
      db.findAgentTemplateVersion(database, {
        projectId: id('project', n),
        templateId: id('template', n),
        version: null,
      }),
    listAgentTemplateVersions: (n) =>
      db.listAgentTemplateVersions(database, {
        templateId: id('template', n),
        before: 9,
        limit,
      }),
    readVersionOfAgent: (n) => db.readVersionOfAgent(database, id('agent', n)),
    listPlanTemplates: (n) =>
      db.listPlanTemplates(database, { projectId: id('project', n), before: GREATEST, limit }),
    readStatistics: (n) => db.readStatistics(database, id('user', n)),
    countAgents: () => db.countAgents(database),
  };
}

/** What recorders do continually. */
function recording(database: Database): Steps {
  const recorderId = id('recorder', 1);
  const at = '2026-01-01T00:00:00.000Z';
  return {
    appendMessages: (n) => db.appendMessages(database, [typedText(id('session', n))]),
    startRecorder: () => db.startRecorder(database, { id: uuidv7(), capacity: 10 }),
    provideSlots: () => db.provideSlots(database, 1, recorderId),
    provideSecondSlots: () => db.provideSlots(database, 2, recorderId),
    claimNothing: () => db.claimSlots(database, { recorderId, limit: 16, capacity: 2000 }),
    claimSlots: async (n) => {
      await database.sql`
        update recording_assignments set recorder_id = null
        where session_id = ${id('session', 2 * n + 1)}`;
      await db.claimSlots(database, { recorderId, limit: 16, capacity: 2000 });
    },
    claimDeadSlots: async (n) => {
      const dead = id('recorder', n);
      await database.sql`
        update recorders set heartbeat_at = now() - interval '1 min' where id = ${dead}`;
      await db.claimSlots(database, { recorderId, limit: 16, capacity: 2000 });
    },
    markUnclaimableSessions: () => db.markUnclaimableSessions(database, recorderId, true),
    listSlots: () => db.listSlots(database, recorderId, 1, true),
    insertInterval: (n) =>
      db.insertInterval(database, {
        sessionId: id('session', n),
        id: uuidv7(),
        recorderId,
        fromAt: at,
      }),
    updateUnsure: (n) =>
      db.updateUnsure(database, [
        { sessionId: id('session', n), intervalId: uuidv7(), unsureFrom: at },
      ]),
    endDeadIntervals: () => db.endDeadIntervals(database),
    listCoverage: (n) => db.listCoverage(database, [id('session', n)]),
    listGaps: (n) => db.listGaps(database, [id('session', n)]),
    listHandedOver: (n) => db.listHandedOver(database, recorderId, [id('session', n)], true),
  };
}

/** What callers change, and what the housekeeping does afterwards. */
function writes(database: Database): Steps {
  const requestHash = Buffer.from('');
  return {
    insertSession: (n) =>
      db.insertSession(database, {
        ...member(n),
        id: uuidv7(),
        name: '',
        createdBy: id('user', n + 1),
      }),
    insertSessionWithin: (n) =>
      db.insertSession(
        database,
        { ...member(n), id: uuidv7(), name: '', createdBy: id('user', n + 1) },
        1000,
      ),
    insertSessionOnce: (n) =>
      db.insertSession(database, {
        ...member(n),
        id: uuidv7(),
        name: '',
        createdBy: id('user', n + 1),
        externalId: 'order',
      }),
    updateSession: (n) =>
      db.updateSession(database, id('session', n), { metadata: { n: `${n}` } }, 16),
    insertAgent: (n) =>
      db.insertAgent(
        database,
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
    claimKey: () =>
      db.claimKey(database, { scope: uuidv7(), key: 'key', requestHash, objectId: uuidv7() }),
    deleteExpiredKeys: () => db.deleteExpiredKeys(database, 10),
    endTokens: (n) => db.endTokens(database, id('user', n)),
    listNewlyEndedTokens: () => db.listNewlyEndedTokens(database),
    markAttended: (n) => db.markAttended(database, [id('session', n)]),
    hasRemovedMembers: () => db.hasRemovedMembers(database),
    listRoomsOfRemovedMembers: (n) =>
      db.listRoomsOfRemovedMembers(database, [id('session', 2 * n + 1)]),
    listBarredMembers: (n) =>
      db.listBarredMembers(database, [
        { sessionId: id('session', 2 * n + 1), userId: id('user', n) },
      ]),
    hasBarredAgents: () => db.hasBarredAgents(database),
    listRoomsOfBarredAgents: (n) =>
      db.listRoomsOfBarredAgents(database, [id('session', 2 * n + 1)]),
    listBarredAgents: (n) => db.listBarredAgents(database, [id('session', 2 * n + 1)]),
    forgetBarredAgents: () => db.forgetBarredAgents(database, []),
    closeSession: (n) => db.closeSession(database, id('session', 2 * n + 1), 'user'),
    listFinishedSessions: (n) => db.listFinishedSessions(database, [id('session', 2 * n)]),
    updateAgentTemplate: (n) =>
      db.updateAgentTemplate(database, {
        id: id('template', n),
        projectId: id('project', n),
        version: 1,
        name: 'Template',
        role: 'light-agent',
        definition: {},
        by: id('user', n),
      }),
    deleteAgentTemplate: (n) =>
      db.deleteAgentTemplate(
        database,
        { id: id('template', n), projectId: id('project', n) },
        id('user', n),
      ),
    deletePlanTemplate: (n) =>
      db.deletePlanTemplate(database, { ...member(n), id: id('plan', n) }, id('user', n)),
    deleteEnvTemplate: (n) =>
      db.deleteEnvTemplate(database, { ...member(n), id: id('env', n) }, id('user', n)),
    updateAgentState: (n) =>
      db.updateAgentState(database, id('agent', n), {
        status: 'Stopped',
        reason: null,
        detail: null,
        exitCode: 0,
      }),
    deleteOldEvents: () => db.deleteOldEvents(database, 10),
    markSessionDeleted: (n) => db.markSessionDeleted(database, id('session', n)),
    markProjectDeleted: (n) => db.markProjectDeleted(database, id('project', n + 500)),
    listDeletedProjects: () => db.listDeletedProjects(database),
    markSessionsOfProject: (n) => db.markSessionsOfProject(database, id('project', n + 500)),
    listDeletedSessions: () => db.listDeletedSessions(database, 10),
    readDeletionAge: () => db.readDeletionAge(database),
    deleteMessages: (n) => db.deleteMessages(database, id('session', n), 10),
    deleteAgentLogs: (n) => db.deleteAgentLogs(database, id('session', n + 80), 10),
    deleteAgents: (n) => db.deleteAgents(database, id('session', n + 80), 10),
    deleteSession: (n) => db.deleteSession(database, id('session', 1000 * (n - FIRST))),
    deleteProjects: () => db.deleteProjects(database),
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
