import * as db from '@session/db';

/** What a recorder asks its database. Tests replace some of it, by faults that no database can be made to have. */
export type RecorderQueries = db.Bound<typeof db>;

export function queriesOn(database: db.DatabaseAccess): RecorderQueries {
  return db.bind(database, db);
}
