import { observeStatements } from '@session/db';
import type { Traces } from '@session/traces';

/**
 * Adds a span for each statement that runs within a span. The span has the statement's name, but no text and no
 * parameters.
 */
export function traceStatements(traces: Traces): Disposable {
  return observeStatements(({ name, durationSeconds, hasFailed }) => {
    if (!traces.current) return;
    const endedAt = performance.timeOrigin + performance.now();
    const span = traces.start({
      name,
      kind: 'client',
      startedAt: endedAt - durationSeconds * 1000,
      attributes: { 'db.system.name': 'postgresql', 'db.query.summary': name },
    });
    if (hasFailed) span.fail('error');
    span.end(endedAt);
  });
}
