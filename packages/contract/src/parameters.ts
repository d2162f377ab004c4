import * as z from 'zod';
import { EXAMPLE } from './example.ts';

/** The id of an object in a path or a query: a UUID, in whatever case. */
export const Id = z
  .uuid({ error: 'a UUID is needed' })
  .toLowerCase()
  .meta({ examples: [EXAMPLE.project] });

/** A whole number in a query, from `least` to `most`: of digits alone, no `0x10`, `1e1` or blanks. */
export function WholeNumber(least: number, most: number) {
  return z.preprocess(numberOf, numberFrom(least, most));
}

/** As `WholeNumber`, and `usual` where there is none. */
export function WholeNumberOr(usual: number, least: number, most: number) {
  // Inside, as the document would not show it outside.
  return z.preprocess(numberOf, numberFrom(least, most).default(usual));
}

function numberFrom(least: number, most: number) {
  const error = `a whole number from ${least} to ${most} is needed`;
  return z.number({ error }).int({ error }).min(least, { error }).max(most, { error });
}

function numberOf(text: unknown): unknown {
  return typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : text;
}

/** A moment in a query: ISO 8601 with an offset. */
export const Moment = z.iso.datetime({
  offset: true,
  error: 'an ISO 8601 time is needed, such as 2026-11-21T08:00:00.000Z',
});
