import { type AgentState, STOP_REASONS, type Workload, workloadIdOf } from '@session/agents';
import type { LiveAgentRow, LiveWorkload } from '@session/db';
import { NIL } from 'uuid';

/**
 * What is due for an agent, by its row and its workload. The `reason` (`stateOf`) says why the agent has to stop, if it has
 * to. `startedAt` is set as soon as the first workload is created. `restartInMs` is set while an agent whose workload ended
 * waits for the next one; it is due when no time is left. A workload is *unobserved* when this process created it a moment ago
 * and the launcher has not reported it yet: then it does not count as absent. The first line that matches counts:
 *
 * | the agent's row               | its workload    | step            | the row's next status                              |
 * |-------------------------------|-----------------|-----------------|----------------------------------------------------|
 * | no `reason`, `restartInMs`    | absent          | `awaitRestart`  | unchanged, until no time is left                   |
 * | no `reason`, no `startedAt`   | absent, waiting | `start`         | Starting; Stopped if refused or too late           |
 * | no `reason`, restart is due   | absent, waiting | `start`         | as above                                           |
 * | any                           | absent, ended   | `conclude`      | Stopped; Starting, with `restartInMs`, if restarted |
 * | `reason`                      | any other       | `stop`          | unchanged                                          |
 * | status Starting               | any other       | `awaitReady`    | Running if ready; gets a `reason` if too late      |
 * | status Running                | any other       | `limitDuration` | unchanged; gets a `reason` after the longest time  |
 *
 * awaitRestart: nothing is done before the next workload is due.
 *
 * start: the workload does not exist, or its secret may be missing (`waiting`): `start` creates what is missing. The start
 * is repeated in each round until it succeeds or times out.
 *
 * conclude: the workload has ended or is gone. The rest of the log is stored, the row becomes Stopped, or waits for the next
 * workload, and the workload is removed.
 *
 * stop: the launcher is asked to stop the workload.
 *
 * awaitReady: the workload was created, and the agent may not be ready in its room yet. A ready agent becomes Running. When
 * the start times out, the row gets the last known problem as its reason to stop, or `start_timeout` without one.
 *
 * limitDuration: the agent has been ready. Texts that it may lack are sent again, and its duration is watched.
 */
export type NextStep =
  | 'awaitReady'
  | 'awaitRestart'
  | 'conclude'
  | 'limitDuration'
  | 'start'
  | 'stop';

export function nextStepOf(
  row: LiveAgentRow,
  state: AgentState,
  workload: Workload,
  isUnobserved: boolean,
): NextStep {
  const isRestart = row.restartInMs !== null;
  const isStartDue = state.reason === null && (row.startedAt === null || isRestart);
  const isGone = workload.phase === 'absent' && !isUnobserved;
  if (isStartDue && isGone && (row.restartInMs ?? 0) > 0) return 'awaitRestart';
  if (isStartDue && (isGone || workload.phase === 'waiting')) return 'start';
  if (isGone || workload.phase === 'ended') return 'conclude';
  if (state.reason !== null) return 'stop';
  return row.status === 'Starting' ? 'awaitReady' : 'limitDuration';
}

export function stateOf(row: LiveAgentRow): AgentState {
  const { status, detail, exitCode, desired, sessionStatus } = row;
  const stored = STOP_REASONS.find((reason) => reason === row.reason);
  const isClosed = sessionStatus === 'CLOSED';
  const isWanted = desired === 'running' && !isClosed;
  const reason = stored ?? (isWanted ? null : isClosed ? 'session_closed' : 'requested');
  return { status, detail, exitCode, reason };
}

/** Every earlier workload of the agent is an orphan. */
export function currentWorkloadId({ id, restarts }: LiveWorkload): string {
  return workloadIdOf(id, restarts);
}

/** Returns the agent's id: a UUID, with which the ids of the agent's workloads begin. */
export function agentIdOf(workloadId: string): string {
  return workloadId.slice(0, NIL.length);
}

/**
 * Returns whether a workload belongs to a later start than the agent's row records. The only cause is a restore of the
 * database to a time before the agent's restart, because rows are read after workloads are observed.
 */
export function isLaterWorkload(workloadId: string, { id, restarts }: LiveWorkload): boolean {
  return workloadId.startsWith(`${id}-`) && Number(workloadId.slice(id.length + 1)) > restarts;
}
