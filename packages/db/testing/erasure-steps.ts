import { NIL, v7 as uuidv7 } from 'uuid';
import type { Database } from '../src/connection/client.ts';
import * as db from '../src/index.ts';
import { manyRowsId as id } from './many-rows.ts';

const EPOCH = '1970-01-01T00:00:00.000Z';

const running = (n: number) => ({ id: id('erasure', n), status: 'running' as const });

/** The statements of erasures and of retention, on many rows: for the test of the use of indexes. */
export function erasureSteps(database: Database) {
  return {
    insertErasure: (n: number) =>
      db.insertErasure(database, {
        id: uuidv7(),
        projectId: id('project', n + 1),
        sessionId: id('session', n),
        messageIds: [id('message', n)],
        identity: null,
        userId: null,
        requestedBy: id('user', n),
      }),
    findErasure: (n: number) =>
      db.findErasure(database, { id: id('erasure', n), userId: id('user', n + 1) }),
    listErasures: (n: number) =>
      db.listErasures(database, {
        projectId: id('project', n),
        userId: id('user', n + 1),
        limit: 51,
      }),
    listOpenErasures: () => db.listOpenErasures(database, 20),
    countErasures: () => db.countErasures(database),
    noteErasureFailure: (n: number) => db.noteErasureFailure(database, id('erasure', n)),
    listMessagesOfPerson: (n: number) =>
      db.listMessagesOfPerson(database, {
        sessionId: id('session', n),
        identity: 'user-1',
        after: EPOCH,
        until: '2999-01-01T00:00:00.000Z',
      }),
    eraseMessages: (n: number) =>
      db.eraseMessages(database, {
        sessionId: id('session', n),
        ids: [id('message', n)],
        erasureId: id('erasure', n),
      }),
    eraseAgentLogs: (n: number) =>
      db.eraseAgentLogs(database, { sessionId: id('session', n), erasureId: id('erasure', n) }),
    eraseSequences: (n: number) =>
      db.eraseSequences(database, {
        sessionId: id('session', n + 60),
        identity: `user-${id('user', 1)}`,
      }),
    listErasedSessions: async (n: number) => {
      await db.listErasedSessions(database, { id: id('erasure', n), sessionId: null });
      await db.listErasedSessions(database, { id: id('erasure', n), sessionId: id('session', n) });
    },
    findNextSession: (n: number) =>
      db.findNextSession(database, id('project', n), {
        sessionId: id('session', n),
        createdAt: EPOCH,
      }),
    endErasurePass: (n: number) =>
      db.endErasurePass(database, { ...running(n), sessionId: id('session', n), identity: null }),
    forgetEndUser: (n: number) =>
      db.forgetEndUser(database, { id: id('end_user', n), projectId: id('project', n) }),
    eraseSession: (n: number) =>
      db.eraseSession(database, {
        id: id('erasure', n),
        sessionId: id('session', n + 40),
        requestedBy: id('user', n),
      }),
    endSessionErasure: (n: number) => db.endSessionErasure(database, running(n)),
    updateProject: (n: number) =>
      db.updateProject(database, id('project', n), { retentionDays: 1 }),
    listProjectsWithRetention: () => db.listProjectsWithRetention(database, NIL, 10),
    listOldSessions: (n: number) =>
      db.listOldSessions(database, id('project', n), { id: NIL, createdAt: EPOCH }, 10),
    deleteExpiredMessages: (n: number) => db.deleteExpiredMessages(database, id('session', n), 10),
  };
}
