import { forgetInAudit } from '../src/queries/accounts/end-users.ts';
import { deleteErasuresOfProjects } from '../src/queries/erasures/erasures.ts';
import {
  deleteAuditEventsOfProjects,
  deleteOldAuditEvents,
  listAuditEvents,
} from '../src/queries/operations/audit-events.ts';
import type { DatabaseAccess } from '../src/statement/statement.ts';
import { manyRowsId as id } from './many-rows.ts';

/**
 * Returns the reads of the audit trail of the `n`th project, and the deletions of the housekeeping, in a database of many rows.
 */
export function auditSteps(database: DatabaseAccess) {
  return {
    listAuditEvents: (n: number) => listAuditEvents(database, pageOf(n)),
    listAuditEventsOn: (n: number) => listAuditEvents(database, { ...pageOf(n), ...after(n) }),
    forgetInAudit: (n: number) =>
      forgetInAudit(database, { id: id('end_user', n), projectId: id('project', n) }),
    deleteErasuresOfProjects: () => deleteErasuresOfProjects(database, 10),
    deleteAuditEventsOfProjects: () => deleteAuditEventsOfProjects(database, 10),
    deleteOldAuditEvents: () => deleteOldAuditEvents(database, 10),
  };
}

function pageOf(n: number) {
  return { projectId: id('project', n), userId: id('user', n + 1), limit: 51 };
}

function after(n: number) {
  return { cursor: id('event', n - 1), action: 'member.added' };
}
