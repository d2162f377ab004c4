import { pgTable } from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';

export const restores = pgTable('restores', {
  /**
   * No message is stored at or before this time any more. A reader may have any `since` up to here, from the time that was
   * lost.
   */
  floorAt: timestamptz('floor_at').primaryKey(),
  /** The time to which the database was restored. Null: no recorder had used the database. */
  restoredTo: timestamptz('restored_to'),
});
