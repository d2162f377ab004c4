import { agentIdentity } from '@session/contract/room';
import type { BarredAgent, BarredMember } from '@session/db';
import * as db from '@session/db';
import { isIdentityOf, type RoomService } from '@session/media/server';
import type { Deps } from '../../deps.ts';

const PAGE = 500;
const ROOMS_AT_ONCE = 8;

interface BarDeps<Barred> {
  readonly rooms: Pick<RoomService, 'listParticipants' | 'listRooms' | 'removeParticipant'>;
  /** Returns the next entries, in the order of their sessions. */
  readonly list: (limit: number, after?: Barred) => Promise<Barred[]>;
  readonly hasIdentity: (barred: Barred, identity: string) => boolean;
  readonly extend: (barred: Barred) => Promise<void>;
  /** Forgets the bars that have ended, except those of `unseen`: rooms whose participants are unknown. */
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
    list: (limit, after) => db.listBarredMembers(database, limit, after),
    hasIdentity: ({ userId }, identity) => isIdentityOf(userId, identity),
    extend: (member) => db.extendBar(database, member),
    forget: (unseen) => db.forgetRemovedMembers(database, unseen),
  });
}

export async function sendOutStoppedAgents({ database, rooms }: Deps): Promise<string[]> {
  return await sendOut<BarredAgent>({
    rooms,
    list: (limit, after) => db.listBarredAgents(database, limit, after),
    hasIdentity: ({ role, id: agentId }, identity) => agentIdentity({ role, agentId }) === identity,
    extend: ({ id }) => db.extendAgentBar(database, id),
    forget: (unseen) => db.forgetBarredAgents(database, unseen),
  });
}

/**
 * Removes barred participants from the rooms of their sessions, and returns their identities. Must be repeated: they can join
 * with an older token. The media server renews tokens, so the bar of a participant who is found is extended, and before the
 * removal: whoever cannot be removed yet stays barred. A failing room or participant delays no other; its error is thrown at
 * the end. Also throws when the media server or the database is away.
 */
export async function sendOut<Barred extends { readonly sessionId: string }>(
  deps: BarDeps<Barred>,
): Promise<string[]> {
  const { rooms, list, forget } = deps;
  const round: Round = { sentOut: [], unseen: [], failures: [] };
  let page = await list(PAGE);
  const openRooms = new Set(page.length > 0 ? await rooms.listRooms() : []);
  while (page.length > 0) {
    const bySession = Map.groupBy(page, ({ sessionId }) => sessionId);
    const waiting = [...bySession].filter(([sessionId]) => openRooms.has(sessionId));
    while (waiting.length > 0) {
      const next = waiting.splice(0, ROOMS_AT_ONCE);
      await Promise.all(next.map((room) => sendOutOf(deps, round, ...room)));
    }
    page = page.length < PAGE ? [] : await list(PAGE, page.at(-1));
  }
  const { sentOut, unseen, failures } = round;
  await forget(unseen);
  if (failures.length > 0) throw new AggregateError(failures, 'barred participants may be in rooms');
  return sentOut;
}

async function sendOutOf<Barred>(
  { rooms, hasIdentity, extend }: BarDeps<Barred>,
  { sentOut, unseen, failures }: Round,
  sessionId: string,
  barred: readonly Barred[],
): Promise<void> {
  const participants = await rooms.listParticipants(sessionId).catch((error: unknown) => {
    unseen.push(sessionId);
    failures.push(new Error(`room ${sessionId} was not looked into`, { cause: error }));
    return [];
  });
  for (const { identity } of participants) {
    const found = barred.find((one) => hasIdentity(one, identity));
    if (!found) continue;
    try {
      await extend(found);
      await rooms.removeParticipant(sessionId, identity);
      sentOut.push(identity);
    } catch (error) {
      failures.push(new Error(`${identity} stays in room ${sessionId}`, { cause: error }));
    }
  }
}
