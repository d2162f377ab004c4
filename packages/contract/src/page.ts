import * as z from 'zod';
import { Id, WholeNumber } from './parameters.ts';

/** What a list takes: `cursor` is the `nextCursor` of the page before. */
export const PageQuery = z.strictObject({
  limit: WholeNumber(1, 100).default(50),
  cursor: Id.optional(),
});

/** What every list answers; `nextCursor` is null on the last page. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), nextCursor: z.string().nullable() });
}
