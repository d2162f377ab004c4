import type { LiveAgentRow } from '@session/db';
import { joinTraceparent, readTraceparent, spanIdOf, type Traces } from '@session/traces';

/**
 * Returns the `traceparent` of an agent's start, which the agent's program continues; undefined if the request for the
 * agent was not traced. Each process that takes part in the start derives the same `traceparent` from the row, even
 * after a crash.
 */
export function startTraceparent(row: LiveAgentRow): string | undefined {
  const request = readTraceparent(row.traceparent ?? '');
  return request && joinTraceparent(startIdsOf(row, request), request.isSampled);
}

function startIdsOf({ id, restarts }: LiveAgentRow, { traceId }: { readonly traceId: string }) {
  return { traceId, spanId: spanIdOf(id, restarts + 1) };
}

export async function traceLaunch<Result>(
  traces: Traces | undefined,
  row: LiveAgentRow,
  work: () => Promise<Result>,
): Promise<Result> {
  const parent = startTraceparent(row);
  if (!traces || parent === undefined) return await work();
  const span = traces.start({ name: 'start workload', parent, attributes: attributesOf(row) });
  try {
    return await traces.within(span, work);
  } catch (error) {
    span.fail(error instanceof Error ? error.name : 'error');
    throw error;
  } finally {
    span.end();
  }
}

/**
 * Adds the span of an agent's whole start, from its request or the end of its last workload until now. A first start
 * also gets a span for each step. The row has all earlier times, so a process that was killed meanwhile leaves no hole
 * in the trace.
 *
 * @param failure the agent's reason to stop, if it ended before it was ready in its room
 */
export function traceStart(traces: Traces | undefined, row: LiveAgentRow, failure?: string): void {
  const request = readTraceparent(row.traceparent ?? '');
  if (!traces || !request || row.traceparent === null) return;
  const now = performance.timeOrigin + performance.now();
  const steps = stepsOf(row, failure === undefined ? now : undefined);
  const start = traces.start({
    name: row.restarts === 0 ? 'start agent' : 'restart agent',
    parent: row.traceparent,
    ids: startIdsOf(row, request),
    startedAt: steps[0]?.from ?? now - (row.endsMsAgo.at(-1) ?? 0),
    attributes: attributesOf(row),
  });
  for (const { name, from, to } of steps) {
    traces.start({ name, parent: start.traceparent, startedAt: from }).end(to);
  }
  if (failure !== undefined) start.fail(failure);
  start.end(now);
  // The start is over, so a crash of this process must not lose its trace.
  void traces.flush();
}

interface Step {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** The row has step times only for the first start. */
function stepsOf(row: LiveAgentRow, joinedAt: number | undefined): Step[] {
  if (row.restarts > 0) return [];
  const known = [
    ['wait for a workload', row.startedAt],
    ['wait for a node', row.scheduledAt],
    ['start the program', row.programStartedAt],
    ['join the room', joinedAt],
  ] as const;
  const steps: Step[] = [];
  let from = Date.parse(row.createdAt);
  for (const [name, at] of known) {
    if (at === null || at === undefined) continue;
    // Clocks differ by some milliseconds, so times may be out of order.
    const to = Math.max(from, typeof at === 'number' ? at : Date.parse(at));
    steps.push({ name, from, to });
    from = to;
  }
  return steps;
}

function attributesOf({ id, role, restarts }: LiveAgentRow) {
  return {
    'session_service.agent.id': id,
    'session_service.agent.role': role,
    'session_service.agent.restarts': restarts,
  };
}
