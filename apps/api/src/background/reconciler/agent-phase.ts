import { type AgentState, STOP_REASONS, type Workload } from '@session/agents';
import type { LiveAgentRow } from '@session/db';

/**
 * Where an agent stands, by its row and its workload:
 *
 * requested: the agent's workload does not exist, or is not complete. It is started, at each look, until the start
 * succeeds or times out.
 *
 * stopping: the row has a reason to stop, and the workload exists. The launcher is asked to stop it.
 *
 * starting: the workload has been started, and the agent is not ready in its room yet. A ready agent becomes Running. When
 * the start times out, the agent is stopped with the problem that it still has.
 *
 * running: the agent has been ready. Only its longest duration is watched.
 *
 * ended: the workload has ended or is gone. The rest of the log is stored, the row becomes Stopped, and the workload is
 * removed.
 */
export type AgentPhase = 'ended' | 'requested' | 'running' | 'starting' | 'stopping';

/** Returns where an agent stands. `isAwaited`: its workload was created a moment ago, and has not been observed yet. */
export function phaseOf(
  row: LiveAgentRow,
  state: AgentState,
  workload: Workload,
  isAwaited: boolean,
): AgentPhase {
  const isStartDue = state.reason === null && row.startedAt === null;
  const isGone = workload.phase === 'absent' && !isAwaited;
  if (isStartDue && (isGone || workload.phase === 'waiting')) return 'requested';
  if (isGone || workload.phase === 'ended') return 'ended';
  if (state.reason !== null) return 'stopping';
  return row.status === 'Starting' ? 'starting' : 'running';
}

/** Returns the state that the row stores. Its reason says why the agent has to stop, if it has to. */
export function stateOf(row: LiveAgentRow): AgentState {
  const { status, detail, exitCode, desired, sessionStatus } = row;
  const stored = STOP_REASONS.find((reason) => reason === row.reason);
  const isClosed = sessionStatus === 'CLOSED';
  const isWanted = desired === 'running' && !isClosed;
  const reason = stored ?? (isWanted ? null : isClosed ? 'session_closed' : 'requested');
  return { status, detail, exitCode, reason };
}
