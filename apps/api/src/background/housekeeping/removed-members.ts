import type { BarredMember } from '@session/db';
import { isIdentityOf } from '@session/media/server';
import type { Deps } from '../../deps.ts';
import { sendOut } from './send-out.ts';

/** Removes users who are no longer members of a project from the rooms of its sessions: see `sendOut`. */
export async function sendOutRemovedMembers({
  removedMembers,
  rooms,
}: Pick<Deps, 'removedMembers' | 'rooms'>): Promise<string[]> {
  return await sendOut<BarredMember>({
    rooms,
    list: (limit, after) => removedMembers.listBarredMembers(limit, after),
    isIdentityOf: ({ userId }, identity) => isIdentityOf(userId, identity),
    extend: (member) => removedMembers.extendBar(member),
    forget: () => removedMembers.forgetRemovedMembers(),
  });
}
