import type { Database } from '../src/connection/client.ts';
import * as db from '../src/index.ts';
import { FIND_SESSIONS } from '../src/queries/sessions/session-search.ts';
import { manyRowsId as id } from './many-rows.ts';

const LEAST = '00000000-0000-0000-0000-000000000000';
const GREATEST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const SINCE = '2026-01-01T00:00:00.000Z';
const LIMIT = 51;

export type Steps = Readonly<Record<string, (turn: number) => Promise<unknown>>>;

/** Returns what the API reads for its callers, about a session that has messages and its project. */
export function readSteps(database: Database): Steps {
  return {
    ...accountsAndSessions(database),
    ...messages(database),
    ...agents(database),
    ...templates(database),
  };
}

function accountsAndSessions(database: Database): Steps {
  return {
    findUser: (n) => db.findUser(database, id('user', n)),
    findUserByEmail: (n) => db.findUserByEmail(database, `user-${n}@example.org`),
    findUserWithMemberships: (n) => db.findUserWithMemberships(database, id('user', n)),
    findProject: (n) =>
      db.findProject(database, { id: id('project', n), userId: id('user', n + 1) }),
    listProjects: (n) =>
      db.listProjects(database, { userId: id('user', n + 1), before: GREATEST, limit: LIMIT }),
    listMembers: (n) => db.listMembers(database, { ...member(n), after: LEAST, limit: LIMIT }),
    findSecret: (n) => db.findSecret(database, `key${n}`),
    listApiKeys: (n) => db.listApiKeys(database, { ...member(n), before: GREATEST, limit: LIMIT }),
    findApiKey: (n) => db.findApiKey(database, { id: id('service', n), userId: id('user', n + 1) }),
    findSession: (n) => db.findSession(database, session(n)),
    listSessions: (n) =>
      db.listSessions(database, {
        ...member(n + 1),
        status: 'ACTIVE',
        cursor: undefined,
        limit: LIMIT,
      }),
    listSessionsOn: (n) =>
      db.listSessions(database, {
        ...member(n + 1),
        status: undefined,
        cursor: id('session', n),
        limit: LIMIT,
      }),
    listSessionsFromOldest: (n) =>
      db.listSessions(database, { ...member(n + 1), order: 'asc', limit: LIMIT }),
    searchSessions: (n) =>
      db.listSessions(database, { ...member(n + 1), q: 'session', limit: LIMIT }),
    findSessions: (n) => {
      const { projectId, userId } = member(n + 1);
      const page = [projectId, userId, LIMIT, null, null, null] as const;
      return FIND_SESSIONS(database, ...page, '{"customer":"c-17"}', 'none', null);
    },
    listSessionOfExternalId: (n) =>
      db.listSessions(database, { ...member(n + 1), externalId: 'order', limit: LIMIT }),
    listEndUsers: (n) => db.listEndUsers(database, { ...member(n + 1), limit: LIMIT }),
    listSessionsOfEndUser: (n) =>
      db.listSessions(database, { ...member(n + 1), endUserId: id('end_user', n), limit: LIMIT }),
    readStatistics: (n) => db.readStatistics(database, id('user', n)),
  };
}

function messages(database: Database): Steps {
  return {
    pageMessages: (n) =>
      db.pageMessages(database, { ...reader(n), cursor: undefined, limit: LIMIT }),
    pageMessagesOn: (n) =>
      db.pageMessages(database, { ...reader(n), cursor: id('message', n), limit: LIMIT }),
    pageMessagesFromStart: (n) =>
      db.pageMessages(database, { ...reader(n), cursor: undefined, limit: LIMIT, order: 'asc' }),
    pageMessagesAfter: (n) =>
      db.pageMessages(database, {
        ...reader(n),
        cursor: id('message', n),
        limit: LIMIT,
        order: 'asc',
      }),
    latestMessages: (n) =>
      db.latestMessages(database, { ...reader(n), since: SINCE, limit: LIMIT }),
    latestMessagesOfReaders: (n) =>
      db.latestMessagesOfReaders(database, {
        ...reader(n),
        userIds: [id('user', n + 2)],
        since: SINCE,
        limit: LIMIT,
      }),
    readStateMessages: (n) =>
      db.readStateMessages(database, { ...reader(n), asOf: '2999-01-01T00:00:00.000Z' }),
    listStateMessages: (n) => db.listStateMessages(database, id('session', n)),
    listTextsAfter: (n) =>
      db.listTextsAfter(database, { sessionId: id('session', n), after: SINCE, limit: LIMIT }),
    listLastWords: (n) => db.listLastWords(database, [id('session', n)], 200),
    listHeads: (n) => db.listHeads(database, [id('session', n)]),
    listFormerReaders: (n) => db.listFormerReaders(database, [reader(n)]),
    listSessionEvents: (n) =>
      db.listSessionEvents(database, { sessionId: id('session', n), since: SINCE, until: SINCE }),
    readMessagesForExport: (n) =>
      db.readMessagesForExport(database, { ...reader(n), after: SINCE, limit: LIMIT }),
    findMessage: (n) =>
      db.findMessage(database, { sessionId: id('session', n), id: id('user', n) }),
    filterStoredTexts: (n) =>
      db.filterStoredTexts(database, id('session', n), [{ id: id('message', n), digest: '' }]),
    listMessagesWithoutRawId: (n) =>
      db.listMessagesWithoutRawId(database, id('session', n), '2999-01-01T00:00:00.000Z'),
  };
}

function agents(database: Database): Steps {
  return {
    listNewestToolCalls: (n) =>
      db.listNewestToolCalls(database, {
        sessionId: id('session', n),
        from: ['agent-light-agent-1'],
        limit: LIMIT,
      }),
    listAgentTurns: (n) =>
      db.listAgentTurns(database, {
        agentId: id('agent', n),
        identity: 'agent-light-agent-1',
        cursor: id('message', n),
        limit: LIMIT,
      }),
    summariseAgentTurns: (n) =>
      db.summariseAgentTurns(database, id('agent', n), 'agent-light-agent-1'),
    listNewestWords: (n) =>
      db.listNewestWords(database, {
        sessionId: id('session', n),
        limit: LIMIT,
        characters: 100,
        exceptFrom: ['agent-echo-agent-'],
      }),
    findAgent: (n) => db.findAgent(database, { ...session(n), id: id('agent', n) }),
    listAgents: (n) =>
      db.listAgents(database, { sessionId: id('session', n), before: GREATEST, limit: LIMIT }),
    listLiveAgentsOf: (n) => db.listLiveAgentsOf(database, [id('session', n)]),
    listLiveAgents: () => db.listLiveAgents(database),
    listLiveWorkloads: () => db.listLiveWorkloads(database),
    countLiveAgents: (n) => db.countLiveAgents(database, id('project', n)),
    tailLog: (n) => db.tailLog(database, id('agent', n), 200),
    listLogSince: (n) => db.listLogSince(database, id('agent', n), 0),
    lookAtLogs: (n) =>
      db.lookAtLogs(database, [{ agentId: id('agent', n), userId: id('user', n + 2) }]),
    countAgents: () => db.countAgents(database),
  };
}

function templates(database: Database): Steps {
  return {
    listEnvTemplates: (n) =>
      db.listEnvTemplates(database, {
        projectId: id('project', n),
        before: GREATEST,
        limit: LIMIT,
      }),
    chooseEnvTemplate: (n) =>
      db.chooseEnvTemplate(database, { projectId: id('project', n), id: null }),
    findEnvTemplate: (n) =>
      db.findEnvTemplate(database, { id: id('env', n), userId: id('user', n + 1) }),
    listAgentTemplates: (n) =>
      db.listAgentTemplates(database, {
        projectId: id('project', n),
        before: GREATEST,
        limit: LIMIT,
      }),
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
        limit: LIMIT,
      }),
    readVersionOfAgent: (n) => db.readVersionOfAgent(database, id('agent', n)),
    listPlanTemplates: (n) =>
      db.listPlanTemplates(database, {
        projectId: id('project', n),
        before: GREATEST,
        limit: LIMIT,
      }),
  };
}

/** Returns a member of the `n`th project. */
export function member(n: number) {
  return { projectId: id('project', n), userId: id('user', n + 1) };
}

/** The `n`th session, which is in the project after the `n`th, and one of its members. */
function session(n: number) {
  return { id: id('session', n), userId: id('user', n + 2) };
}

function reader(n: number) {
  return { sessionId: id('session', n), userId: id('user', n + 2) };
}
