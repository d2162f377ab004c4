/**
 * How long the API waits for a database that may be away, in milliseconds; the contract promises every client an answer within
 * 2 s. `requestMs` is for everything that one request needs of a route that waits for nothing but the database, and
 * `statementMs` for one statement of a route. `serverMs` is PostgreSQL's own limit for a statement, whether or not anyone still
 * waits for its result.
 */
export interface TimeLimits {
  readonly requestMs: number;
  readonly statementMs: number;
  readonly serverMs: number;
}

/** A statement gets as long as a request, so that every answer that PostgreSQL gives within 1.6 s is used, on every route. */
export const TIME_LIMITS: TimeLimits = { requestMs: 1600, statementMs: 1600, serverMs: 5000 };

/**
 * In milliseconds: the `handlerTimeout` of routes that wait for more than the database. Only the whole request may take this
 * long; each of its statements has the limit of all other routes (`limitStatements`).
 */
export const LONG_REQUEST_MS = 30_000;
