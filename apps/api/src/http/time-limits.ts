/**
 * In milliseconds. `requestMs`: for a route that waits only for the database, whose clients get an answer within 2 s.
 * `statementMs`: for each statement. `serverMs`: PostgreSQL's own limit, even if nobody waits any more.
 */
export interface TimeLimits {
  readonly requestMs: number;
  readonly statementMs: number;
  readonly serverMs: number;
}

/** A statement gets as long as a request, so that every answer of PostgreSQL within 1.6 s is used, on every route. */
export const TIME_LIMITS: TimeLimits = { requestMs: 1600, statementMs: 1600, serverMs: 5000 };

/** The `handlerTimeout` of routes that wait for more than the database, in milliseconds. */
export const LONG_REQUEST_MS = 30_000;
