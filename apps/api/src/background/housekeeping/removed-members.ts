import type { BarredMember } from '@session/db';
import * as db from '@session/db';
import { isIdentityOf } from '@session/media/server';
import type { Deps } from '../../deps.ts';
import { sendOut } from './send-out.ts';

/** Removes users who are no longer members of a project from the rooms of its sessions: see `sendOut`. */
export async function sendOutRemovedMembers({
  database,
  rooms,
}: Pick<Deps, 'database' | 'rooms'>): Promise<string[]> {
  return await sendOut<BarredMember>({
    rooms,
    list: (limit, after) => db.listBarredMembers(database, limit, after),
    isIdentityOf: ({ userId }, identity) => isIdentityOf(userId, identity),
    extend: (member) => db.extendBar(database, member),
    forget: () => db.forgetRemovedMembers(database),
  });
}
