import { pgTable } from '../columns/drizzle.ts';
import { timestamptz } from '../columns/timestamptz.ts';

export const restores = pgTable('restores', {
  /**
   * No message is stored at or before this time after the restore. A reader may have any `since` up to here, from the time
   * that was lost.
   */
  floorAt: timestamptz('floor_at').primaryKey(),
  restoredTo: timestamptz('restored_to'),
});
