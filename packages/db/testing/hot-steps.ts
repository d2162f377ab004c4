import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../src/connection/client.ts';
import * as db from '../src/index.ts';
import { auditSteps } from './audit-steps.ts';
import { erasureSteps } from './erasure-steps.ts';
import { linkSteps } from './link-steps.ts';
import { manyRowsId as id } from './many-rows.ts';
import { typedText } from './project.ts';
import { member, readSteps, type Steps } from './read-steps.ts';
import { searchSteps } from './search-steps.ts';
import { sequenceSteps } from './sequence-steps.ts';
import { webhookSteps } from './webhook-steps.ts';

/** The number of the first session that these steps use: it has messages. */
export const FIRST = 20;

/**
 * Returns what API and recorder do often. Each step takes the number of a session of `insertManyRows` that has
 * messages.
 */
export function stepsOf(own: Database): Steps {
  return {
    ...readSteps(own),
    ...recording(own),
    ...auditSteps(own),
    ...insertions(own),
    ...bars(own),
    ...changes(own),
    ...deletions(own),
    ...linkSteps(own),
    ...webhookSteps(own),
    ...searchSteps(own),
    ...sequenceSteps(own),
    ...erasureSteps(own),
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

/** Creations by callers, and the ends of idempotency keys and tokens. */
function insertions(database: Database): Steps {
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
  };
}

/** The members and agents that are kept out of rooms. */
function bars(database: Database): Steps {
  return {
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
  };
}

/** Changes by callers, and of the status of agents. */
function changes(database: Database): Steps {
  return {
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
  };
}

/** Deletions, most of them by the housekeeping. */
function deletions(database: Database): Steps {
  return {
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
