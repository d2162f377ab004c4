import type { StopReason } from './stop-reason.ts';

export const RESTART_POLICIES = ['on-failure', 'never'] as const;

export type RestartPolicy = (typeof RESTART_POLICIES)[number];

export const RESTARTABLE_REASONS = ['crashed', 'evicted', 'lost', 'out_of_memory'] as const;

const RESTARTABLE: ReadonlySet<StopReason | null> = new Set(RESTARTABLE_REASONS);
export const RESTART_DELAYS_MS: readonly number[] = [500, 2000, 8000];
const WINDOW_MS = 600_000;

/**
 * Returns the delay in milliseconds before the agent's next workload; undefined when the agent has to stop. An agent is
 * restarted at most three times within ten minutes: more restarts would cure nothing. Pure.
 *
 * @param end the agent's state after its workload ended (`nextState`)
 * @param endsMsAgo for each earlier end after which the agent was restarted, how long ago it was
 */
export function restartDelayMs(
  policy: RestartPolicy,
  end: { readonly status: string; readonly reason: StopReason | null },
  endsMsAgo: readonly number[],
  delaysMs = RESTART_DELAYS_MS,
): number | undefined {
  if (policy === 'never' || end.status !== 'Stopped' || !RESTARTABLE.has(end.reason)) {
    return undefined;
  }
  const recent = endsMsAgo.filter((msAgo) => msAgo < WINDOW_MS);
  return delaysMs[recent.length];
}

/**
 * Returns the id of an agent's workload: the agent's own id for the first one, followed by a number for each later one.
 */
export function workloadIdOf(agentId: string, restarts: number): string {
  return restarts === 0 ? agentId : `${agentId}-${restarts}`;
}
