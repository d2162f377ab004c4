import type { BarredAgent } from '@session/db';
import { agentIdentity } from '@session/media/server';
import type { Deps } from '../../deps.ts';
import { sendOut } from './send-out.ts';

/** Removes Stopped agents from the rooms of their sessions: see `sendOut`. */
export async function sendOutStoppedAgents({
  stoppedAgents,
  rooms,
}: Pick<Deps, 'stoppedAgents' | 'rooms'>): Promise<string[]> {
  return await sendOut<BarredAgent>({
    rooms,
    list: (limit, after) => stoppedAgents.listBarredAgents(limit, after),
    isIdentityOf: ({ role, id: agentId }, identity) =>
      agentIdentity({ role, agentId }) === identity,
    extend: ({ id }) => stoppedAgents.extendAgentBar(id),
    forget: () => stoppedAgents.forgetBarredAgents(),
  });
}
