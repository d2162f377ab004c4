import type { AgentState } from '@session/agents';
import { agentIdentity } from '@session/contract/room';
import type { LiveAgentRow } from '@session/db';
import * as db from '@session/db';
import type { RoomService } from '@session/media/server';
import type { SupervisionDeps } from './supervision.ts';

export async function restartAgent(
  row: LiveAgentRow,
  { reason: cause, exitCode }: AgentState,
  delayMs: number,
  { database, rooms, metrics, log }: SupervisionDeps,
): Promise<boolean> {
  const { id: agentId, sessionId, restarts } = row;
  const reason = cause ?? '';
  if (!(await db.restartAgent(database, agentId, { reason, delayMs, restarts }))) return false;
  metrics.agentRestarts.inc({ reason });
  log.warn({ agentId, sessionId, reason, exitCode, restarts, delayMs }, 'restarting agent');
  await removeGhost(row, cause, rooms);
  return true;
}

/**
 * Removes the participant that an ended program may have left in its room. Then others see at once that the agent is
 * away, another agent answers, and the recorder stores at once what the agent was saying. If the media server does not
 * answer, the ghost stays for a while. Never throws.
 *
 * @param reason why the program ended. `evicted` and `session_closed` need no removal: an evicted program was asked to
 *   end and has left by itself, and the room of a closed session is deleted
 */
export async function removeGhost(
  { id: agentId, role, sessionId }: LiveAgentRow,
  reason: AgentState['reason'],
  rooms: RoomService,
): Promise<void> {
  if (reason === 'evicted' || reason === 'session_closed') return;
  await rooms.removeParticipant(sessionId, agentIdentity({ role, agentId })).catch(() => {});
}
