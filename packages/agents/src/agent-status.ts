import type { Workload } from './launcher.ts';
import type { StopReason } from './stop-reason.ts';

export interface AgentState {
  readonly status: 'Starting' | 'Running' | 'Stopped';
  /** Why it has stopped; before that, why it is to stop, or null when it is not. */
  readonly reason: StopReason | null;
  readonly detail: string | null;
  readonly exitCode: number | null;
}

/** What is seen of an agent: its workload, or that its participant is in the room. */
export type Seen = Workload | { readonly phase: 'joined' };

const GONE = 'What ran it is gone, and nobody saw how it ended: start an agent again.';

/**
 * The one place that says what an agent's status becomes when something is seen. Pure; gives `state` itself when nothing
 * changes. The states:
 *
 * Starting: it is wanted, and not in the room. Its program may run already: that alone is of use to nobody.
 *
 * Running: its participant has been in the room. It stays Running while it reconnects; whether it can is its own affair,
 * and it ends when it cannot.
 *
 * Stopped: for good. The reason is the one for which it was to stop, else what the launcher says of its end, else its
 * exit code's: 0 is `completed`, another `crashed`. One that is gone without having been asked to is `lost`.
 */
export function nextState(state: AgentState, seen: Seen): AgentState {
  if (state.status === 'Stopped') return state;
  if (seen.phase === 'waiting' || seen.phase === 'running') return state;
  if (seen.phase === 'joined') {
    return state.status === 'Running' ? state : { ...state, status: 'Running' };
  }
  if (seen.phase === 'absent') return stopped(state, 'lost', state.reason === null ? GONE : null);
  const { exitCode, cause = exitCode === 0 ? 'completed' : 'crashed', detail = null } = seen;
  return stopped({ ...state, exitCode }, cause, detail);
}

function stopped(state: AgentState, reason: StopReason, detail: string | null): AgentState {
  return {
    ...state,
    status: 'Stopped',
    reason: state.reason ?? reason,
    detail: state.detail ?? detail,
  };
}
