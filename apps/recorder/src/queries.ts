import * as db from '@session/db';

/** The statements of a recorder. Tests replace some of them with faults that a real database cannot be made to have. */
export type RecorderQueries = db.Bound<typeof db>;

export function queriesOn(database: db.DatabaseAccess): RecorderQueries {
  return db.bind(database, db);
}
