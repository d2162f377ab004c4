import type { Workload } from './launcher.ts';
import type { StopReason } from './stop-reason.ts';

const BAD_CONFIGURATION = 78;

const REFUSED_DETAIL = 'Its configuration is refused: its log says what is wrong.';

export interface AgentState {
  readonly status: 'Starting' | 'Running' | 'Stopped';
  readonly reason: StopReason | null;
  readonly detail: string | null;
  readonly exitCode: number | null;
}

export type ObservedPhase = Workload | { readonly phase: 'ready' };

const LOST_DETAIL =
  'The agent’s process or pod is gone, and its end was not observed. Start a new agent.';

/**
 * Returns the state of an agent after an observation, or `state` itself when nothing changes. Pure, and the only code
 * that decides an agent's status. The states:
 *
 * Starting: the agent is requested and not ready in its room yet. Its program may run already, but nobody can talk to
 * it. An agent that is restarted (`restart-policy.ts`) is Starting again.
 *
 * Running: the agent has been ready in its room. It stays Running while it reconnects. The agent reconnects by itself,
 * and its program ends when it cannot.
 *
 * Stopped: final. The reason is the one for which the agent had to stop, otherwise the cause that the launcher reports,
 * otherwise the exit code's: `completed` for 0, `bad_configuration` for 78, `crashed` for others. If an agent
 * disappeared without being stopped, the reason is `lost`.
 */
export function nextState(state: AgentState, observed: ObservedPhase): AgentState {
  if (state.status === 'Stopped') return state;
  if (observed.phase === 'waiting' || observed.phase === 'running') return state;
  if (observed.phase === 'ready') {
    return state.status === 'Running' ? state : { ...state, status: 'Running' };
  }
  if (observed.phase === 'absent') {
    return stopped(state, 'lost', state.reason === null ? LOST_DETAIL : null);
  }
  const { exitCode, cause = causeOf(exitCode) } = observed;
  const isRefused = exitCode === BAD_CONFIGURATION && cause === 'bad_configuration';
  const { detail = isRefused && state.reason === null ? REFUSED_DETAIL : null } = observed;
  return stopped({ ...state, exitCode }, cause, detail);
}

function causeOf(exitCode: number | null): StopReason {
  if (exitCode === 0) return 'completed';
  return exitCode === BAD_CONFIGURATION ? 'bad_configuration' : 'crashed';
}

function stopped(state: AgentState, reason: StopReason, detail: string | null): AgentState {
  return {
    ...state,
    status: 'Stopped',
    reason: state.reason ?? reason,
    detail: state.detail ?? detail,
  };
}
