import { withDeadline } from '@session/kit';

/**
 * Returns the same statements with a limit on each of them: without a result after `limitMs`, a statement throws
 * `unavailable`. `exceptions` holds the limits, in milliseconds, of statements that have another one.
 */
export function boundStatements<Queries extends object>(
  queries: Queries,
  limitMs: number,
  exceptions: Partial<Record<keyof Queries & string, number>> = {},
): Queries {
  const limits = new Map<string, unknown>(Object.entries(exceptions));
  const bounded = Object.entries(queries).map(([name, statement]) => {
    const limit = Number(limits.get(name) ?? limitMs);
    return [name, (...values: unknown[]) => withDeadline(statement(...values), limit)];
  });
  return Object.assign({ ...queries }, Object.fromEntries(bounded));
}
