import { isIdentityOf } from '@session/media';
import type { Deps } from '../../deps.ts';

/**
 * Sends those who were removed from a project out of its rooms, and gives their identities there. To be repeated: the
 * media server lets anybody in who has a token, so they come back with one that they were given before. It makes a new
 * token, for ten minutes, for whoever is in a room: so the time in which they are barred begins anew each time that they
 * are found. Throws when the media server or the database is away.
 */
export async function sendOutRemovedMembers({
  removedMembers,
  rooms,
}: Pick<Deps, 'removedMembers' | 'rooms'>): Promise<string[]> {
  const barred = await removedMembers.listBarredMembers();
  const live = new Set(barred.length > 0 ? await rooms.listRooms() : []);
  const bySession = Map.groupBy(barred, ({ sessionId }) => sessionId);
  const sentOut: string[] = [];
  for (const [sessionId, members] of bySession) {
    const present = live.has(sessionId) ? await rooms.listParticipants(sessionId) : [];
    for (const { identity } of present) {
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
