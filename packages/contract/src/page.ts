import * as z from 'zod';
import { examplesOf } from './example.ts';
import { Id, WholeNumberOr } from './parameters.ts';

/** What a list takes: `cursor` is the `nextCursor` of the page before. */
export const PageQuery = z.strictObject({
  limit: WholeNumberOr(50, 1, 100).describe('How many, at most'),
  cursor: Id.optional().describe('The `nextCursor` of the page before'),
});

/** What every list answers; `nextCursor` is null on the last page. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  const examples = [{ items: examplesOf(item), nextCursor: null }];
  return z.object({ items: z.array(item), nextCursor: z.string().nullable() }).meta({ examples });
}
