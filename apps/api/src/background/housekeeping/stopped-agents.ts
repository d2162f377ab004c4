import { agentIdentity } from '@session/media';
import type { Deps } from '../../deps.ts';

/**
 * Removes Stopped agents from the rooms of their sessions, and returns their identities there. Has to be repeated, as for
 * removed members: whoever has the token of an agent can join with it until it expires. The bar is extended each time that
 * the agent is found, because the media server renews the token of every participant for ten minutes.
 * Throws when the media server or the database is away.
 */
export async function sendOutStoppedAgents({
  stoppedAgents,
  rooms,
}: Pick<Deps, 'stoppedAgents' | 'rooms'>): Promise<string[]> {
  const barred = await stoppedAgents.listBarredAgents();
  const openRooms = new Set(barred.length > 0 ? await rooms.listRooms() : []);
  const sentOut: string[] = [];
  for (const [sessionId, stopped] of Map.groupBy(barred, ({ sessionId: id }) => id)) {
    const participants = openRooms.has(sessionId) ? await rooms.listParticipants(sessionId) : [];
    for (const { identity } of participants) {
      const agent = stopped.find((one) => agentIdentity({ ...one, agentId: one.id }) === identity);
      if (!agent) continue;
      await stoppedAgents.extendAgentBar(agent.id);
      await rooms.removeParticipant(sessionId, identity);
      sentOut.push(identity);
    }
  }
  await stoppedAgents.forgetBarredAgents();
  return sentOut;
}
