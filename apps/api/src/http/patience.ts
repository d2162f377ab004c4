import { withDeadline } from '@session/kit';

/** How long we wait for a database that may be away. The contract says that everyone knows within 2 s. */
export interface Patience {
  /** In milliseconds: for all that a route does that needs nothing but the database. */
  readonly requestMs: number;
  /** In milliseconds: for a statement of those that may take longer. */
  readonly statementMs: number;
  /** In milliseconds: what PostgreSQL gets for a statement, whether or not somebody still waits for it. */
  readonly serverMs: number;
}

export const PATIENCE: Patience = { requestMs: 1600, statementMs: 1400, serverMs: 5000 };

/** For routes that wait for something else too. Their statements are asked `inTime`. */
export const LONG_REQUEST_MS = 30_000;

/** Gives what asks a statement and throws `unavailable` when there is no answer in time. */
export type InTime = <T>(statement: Promise<T>) => Promise<T>;

export function prepareInTime({ statementMs }: Patience): InTime {
  return (statement) => withDeadline(statement, statementMs);
}
