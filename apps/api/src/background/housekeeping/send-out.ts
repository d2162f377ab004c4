import { agentIdentity } from '@session/contract/room';
import type { BarredAgent, BarredMember } from '@session/db';
import * as db from '@session/db';
import { isIdentityOf, type RoomService, tokenOwner } from '@session/media/server';
import { validate as isUuid } from 'uuid';
import type { Deps } from '../../deps.ts';
import { forEach } from './for-each.ts';

const ROOMS_AT_ONCE = 8;
/** Within one room. The media server takes seconds to refuse the removal of a participant whose node is gone. */
const REMOVALS_AT_ONCE = 8;

interface Present {
  readonly sessionId: string;
  readonly identity: string;
}

interface BarDeps<Barred> {
  readonly rooms: Pick<RoomService, 'listParticipants' | 'listRooms' | 'removeParticipant'>;
  readonly isAnybodyBarred: () => Promise<boolean>;
  readonly listBarredRooms: (open: readonly string[]) => Promise<string[]>;
  /** May return more than the barred participants of the room. */
  readonly listBarred: (present: readonly Present[]) => Promise<Barred[]>;
  readonly hasIdentity: (barred: Barred, identity: string) => boolean;
  readonly extend: (barred: Barred) => Promise<void>;
  /** Deletes the bars whose time is over, except those of participants who may be in the rooms `unseen`. */
  readonly forget: (unseen: readonly string[]) => Promise<void>;
}

interface Round {
  readonly sentOut: string[];
  readonly unseen: string[];
  readonly failures: Error[];
}

export async function sendOutRemovedMembers({ database, rooms }: Deps): Promise<string[]> {
  return await sendOut<BarredMember>({
    rooms,
    isAnybodyBarred: () => db.hasRemovedMembers(database),
    listBarredRooms: (open) => db.listRoomsOfRemovedMembers(database, open),
    listBarred: (present) => db.listBarredMembers(database, present.flatMap(peopleOf)),
    hasIdentity: ({ userId }, identity) => isIdentityOf(userId, identity),
    extend: (member) => db.extendBar(database, member),
    forget: (unseen) => db.forgetRemovedMembers(database, unseen),
  });
}

export async function sendOutStoppedAgents({ database, rooms }: Deps): Promise<string[]> {
  return await sendOut<BarredAgent>({
    rooms,
    isAnybodyBarred: () => db.hasBarredAgents(database),
    listBarredRooms: (open) => db.listRoomsOfBarredAgents(database, open),
    listBarred: (present) =>
      db.listBarredAgents(database, [...new Set(present.map(({ sessionId }) => sessionId))]),
    hasIdentity: ({ role, id: agentId }, identity) => agentIdentity({ role, agentId }) === identity,
    extend: ({ id }) => db.extendAgentBar(database, id),
    forget: (unseen) => db.forgetBarredAgents(database, unseen),
  });
}

function peopleOf({ sessionId, identity }: Present): db.PresentUser[] {
  const owner = tokenOwner(identity);
  if (owner === undefined || !('userId' in owner) || !isUuid(owner.userId)) return [];
  return [{ sessionId, userId: owner.userId }];
}

/**
 * Removes barred participants from the rooms of their sessions, and returns their identities. Must be called
 * repeatedly, because they can join with an older token.
 *
 * The media server renews the tokens of participants in a room. So the bar of a participant who is found is extended,
 * before the removal, which may fail. For the same reason, a bar stays in force after its time until a round has looked
 * for the barred participant. Starts from the rooms, because there may be many bars, and far more pairs of a bar and a
 * session. A failing room or participant delays no other; its error is thrown at the end. Also throws when the media
 * server or the database is away.
 */
export async function sendOut<Barred>(deps: BarDeps<Barred>): Promise<string[]> {
  const { rooms, isAnybodyBarred, listBarredRooms, forget } = deps;
  if (!(await isAnybodyBarred())) return [];
  const round: Round = { sentOut: [], unseen: [], failures: [] };
  const open = (await rooms.listRooms()).filter((name) => isUuid(name));
  const waiting = open.length > 0 ? await listBarredRooms(open) : [];
  await forEach(waiting, ROOMS_AT_ONCE, (sessionId) => sendOutOf(deps, round, sessionId));
  const { sentOut, unseen, failures } = round;
  await forget(unseen);
  if (failures.length > 0)
    throw new AggregateError(failures, 'barred participants may still be in rooms');
  return sentOut;
}

async function sendOutOf<Barred>(
  deps: BarDeps<Barred>,
  round: Round,
  sessionId: string,
): Promise<void> {
  const present = await look(deps, round, sessionId);
  const barred = present.length > 0 ? await deps.listBarred(present) : [];
  if (barred.length === 0) return;
  await forEach(present, REMOVALS_AT_ONCE, (participant) =>
    remove(deps, round, participant, barred),
  );
}

async function look<Barred>(
  { rooms }: BarDeps<Barred>,
  { unseen, failures }: Round,
  sessionId: string,
): Promise<Present[]> {
  try {
    const participants = await rooms.listParticipants(sessionId);
    return participants.map(({ identity }) => ({ sessionId, identity }));
  } catch (error) {
    unseen.push(sessionId);
    failures.push(
      new Error(`participants of room ${sessionId} could not be listed`, { cause: error }),
    );
    return [];
  }
}

async function remove<Barred>(
  { rooms, hasIdentity, extend }: BarDeps<Barred>,
  { sentOut, unseen, failures }: Round,
  { sessionId, identity }: Present,
  barred: readonly Barred[],
): Promise<void> {
  const found = barred.find((one) => hasIdentity(one, identity));
  if (!found) return;
  try {
    await extend(found);
    await rooms.removeParticipant(sessionId, identity);
    sentOut.push(identity);
  } catch (error) {
    // The participant's bar may not have been extended.
    unseen.push(sessionId);
    failures.push(
      new Error(`${identity} was not removed from room ${sessionId}`, { cause: error }),
    );
  }
}
