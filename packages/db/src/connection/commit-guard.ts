import { classOfError } from '../errors/error-class.ts';
import { allRows } from '../statement/rows.ts';
import { type DatabaseAccess, statement } from '../statement/statement.ts';
import { CONNECTIONS } from './connections.ts';

export const COUNT_WAITING_COMMITS = statement(
  'count_waiting_commits',
  () => [],
  allRows<{ count: number }>,
)`
select count(*)::integer as count
from ${CONNECTIONS}
where application_name = current_setting('application_name')
  and wait_event = 'SyncRep'`;

class StandbyAwayError extends Error {
  readonly code = '57000';

  constructor() {
    super('commits of this process wait for a standby of the database');
  }
}

/**
 * Limits how many connections of a process wait at a primary whose synchronous standbys do not answer. A waiting commit has
 * no time limit, and cancelling it would commit what no standby has. So after a write with an unknown outcome, no further
 * write is sent while a commit of this process waits.
 */
export class CommitGuard {
  readonly #database: DatabaseAccess;
  #mayWait = false;

  /** `database` must have the application name of the connections that write. */
  constructor(database: DatabaseAccess) {
    this.#database = database;
  }

  /**
   * Returns what `write` returns. While a commit that was given up still waits, throws an error of the class `away` instead.
   */
  async run<T>(write: () => Promise<T>): Promise<T> {
    if (this.#mayWait) {
      const [row] = await COUNT_WAITING_COMMITS(this.#database);
      if (row && row.count > 0) throw new StandbyAwayError();
      this.#mayWait = false;
    }
    try {
      return await write();
    } catch (error) {
      if (classOfError(error) === 'away') this.#mayWait = true;
      throw error;
    }
  }
}
