import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../src/connection/client.ts';
import {
  acceptInvitation,
  deleteExpiredInvitations,
  deleteInvitation,
  findInvitation,
  findOpenInvitation,
  insertInvitation,
  listInvitations,
} from '../src/queries/accounts/invitations.ts';
import {
  deleteExpiredPasswordLinks,
  findPasswordLink,
  resetPassword,
  upsertPasswordLink,
} from '../src/queries/accounts/password-links.ts';
import { manyRowsId as id } from './many-rows.ts';

/** The statements of invitations and of links for passwords, on many rows: for the test of the use of indexes. */
export function linkSteps(database: Database) {
  const before = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  return {
    listInvitations: (n: number) => listInvitations(database, { ...member(n), before, limit: 51 }),
    findInvitation: (n: number) =>
      findInvitation(database, { id: id('invitation', n), userId: id('user', n + 1) }),
    findOpenInvitation: (n: number) => findOpenInvitation(database, hashOf('invitation', n)),
    findPasswordLink: (n: number) => findPasswordLink(database, hashOf('link', n)),
    insertInvitation: async (n: number) => {
      const invitation = { ...member(n), id: uuidv7(), email: 'ben@example.org' };
      const secret = { secretHash: Buffer.from(`${n}`), createdBy: id('user', n + 1) };
      await insertInvitation(database, { ...invitation, ...secret, role: 'MEMBER' }, 100);
    },
    acceptInvitation: async (n: number) => {
      const guest = { membershipId: uuidv7(), userId: id('user', n) };
      await acceptInvitation(database, hashOf('invitation', 100 * n), guest);
    },
    deleteInvitation: (n: number) =>
      deleteInvitation(
        database,
        { id: id('invitation', 101 * n), projectId: id('project', 101 * n) },
        id('user', 1),
      ),
    upsertPasswordLink: async (n: number) => {
      const link = { email: `user-${n}@example.org`, secretHash: Buffer.from(`${n}`) };
      await upsertPasswordLink(database, link);
    },
    resetPassword: (n: number) =>
      resetPassword(database, { secretHash: hashOf('link', 100 * n), passwordHash: '' }),
    deleteExpiredInvitations: () => deleteExpiredInvitations(database),
    deleteExpiredPasswordLinks: () => deleteExpiredPasswordLinks(database),
  };
}

function hashOf(kind: 'invitation' | 'link', n: number): Buffer {
  return createHash('md5').update(`${kind}${n}`).digest();
}

/** A member of the `n`th project. */
function member(n: number) {
  return { projectId: id('project', n), userId: id('user', n + 1) };
}
