import * as db from '@session/db';

/** The statements of a recorder. Tests replace some of them to cause faults that cannot be caused in a real database. */
export type RecorderQueries = db.Bound<typeof db>;

export function queriesOn(database: db.DatabaseAccess): RecorderQueries {
  return db.bind(database, db);
}
