import { type EventEmitter, on } from 'node:events';
import type { AgentObservation, Workload } from './launcher.ts';

/** Yields `existing`, then `synced`, then each observation that `events` emits as `change`, until `signal` aborts. */
export async function* observeWorkloads(
  existing: Iterable<{ readonly workloadId: string; readonly workload: Workload }>,
  events: EventEmitter,
  signal: AbortSignal,
): AsyncGenerator<AgentObservation> {
  // Subscribes before it reads `existing`, so that no change in between is missed.
  const changes = on(events, 'change', { signal });
  for (const { workloadId, workload } of existing) {
    yield { type: 'workload', workloadId, workload };
  }
  yield { type: 'synced' };
  try {
    for await (const [observation] of changes) yield observation;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
