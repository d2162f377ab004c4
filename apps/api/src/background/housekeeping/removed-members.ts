import { isIdentityOf } from '@session/media';
import type { Deps } from '../../deps.ts';

/**
 * Removes users who are no longer members of a project from the rooms of its sessions, and returns their identities there.
 * Has to be repeated: a removed member can join again with an older token. The bar of a removed member is the time for
 * which the member's tokens may still open a room. The media server renews the token of every participant for ten minutes,
 * so the bar is extended each time that the member is found in a room.
 * Throws when the media server or the database is away.
 */
export async function sendOutRemovedMembers({
  removedMembers,
  rooms,
}: Pick<Deps, 'removedMembers' | 'rooms'>): Promise<string[]> {
  const barred = await removedMembers.listBarredMembers();
  const openRooms = new Set(barred.length > 0 ? await rooms.listRooms() : []);
  const bySession = Map.groupBy(barred, ({ sessionId }) => sessionId);
  const sentOut: string[] = [];
  for (const [sessionId, members] of bySession) {
    const participants = openRooms.has(sessionId) ? await rooms.listParticipants(sessionId) : [];
    for (const { identity } of participants) {
      const member = members.find(({ userId }) => isIdentityOf(userId, identity));
      if (!member) continue;
      await removedMembers.extendBar(member);
      await rooms.removeParticipant(sessionId, identity);
      sentOut.push(identity);
    }
  }
  await removedMembers.forgetRemovedMembers();
  return sentOut;
}
