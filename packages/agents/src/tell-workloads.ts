import { type EventEmitter, on } from 'node:events';
import type { AgentObservation, Workload } from './launcher.ts';

/**
 * Gives what a launcher's `observe` promises: what `standing` holds now, then `synced`, then each `change` of `events`, an
 * observation, until `signal` aborts.
 */
export async function* tellWorkloads(
  standing: Iterable<{ readonly agentId: string; readonly workload: Workload }>,
  events: EventEmitter,
  signal: AbortSignal,
): AsyncGenerator<AgentObservation> {
  // Heard from now on, so that nothing is missed between what stands and the changes.
  const changes = on(events, 'change', { signal });
  for (const { agentId, workload } of standing) yield { type: 'workload', agentId, workload };
  yield { type: 'synced' };
  try {
    for await (const [observation] of changes) yield observation;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
