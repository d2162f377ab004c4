import * as z from 'zod';
import { examplesOf } from './example.ts';
import { Id, WholeNumberOr } from './parameters.ts';

export const PageQuery = z.strictObject({
  limit: WholeNumberOr(50, 1, 100).describe('The largest number of items to return'),
  cursor: Id.optional().describe('The `nextCursor` of the previous page'),
});

/** Returns the shape of a list. `nextCursor` is null on the last page. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  const examples = [{ items: examplesOf(item), nextCursor: null }];
  return z.object({ items: z.array(item), nextCursor: z.string().nullable() }).meta({ examples });
}
