import type { BarredAgent } from '@session/db';
import * as db from '@session/db';
import { agentIdentity } from '@session/media/server';
import type { Deps } from '../../deps.ts';
import { sendOut } from './send-out.ts';

/** Removes Stopped agents from the rooms of their sessions: see `sendOut`. */
export async function sendOutStoppedAgents({
  database,
  rooms,
}: Pick<Deps, 'database' | 'rooms'>): Promise<string[]> {
  return await sendOut<BarredAgent>({
    rooms,
    list: (limit, after) => db.listBarredAgents(database, limit, after),
    isIdentityOf: ({ role, id: agentId }, identity) =>
      agentIdentity({ role, agentId }) === identity,
    extend: ({ id }) => db.extendAgentBar(database, id),
    forget: () => db.forgetBarredAgents(database),
  });
}
