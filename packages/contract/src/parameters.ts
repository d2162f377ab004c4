import * as z from 'zod';

/** The id of an object in a path or a query: a UUID, in whatever case. */
export const Id = z.uuid({ error: 'a UUID is needed' }).toLowerCase();

/** A whole number in a query, from `least` to `most`: of digits alone, no `0x10`, `1e1` or blanks. */
export function WholeNumber(least: number, most: number) {
  const error = `a whole number from ${least} to ${most} is needed`;
  return z.preprocess(
    (text) => (typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : text),
    z.number({ error }).int({ error }).min(least, { error }).max(most, { error }),
  );
}

/** A moment in a query: ISO 8601 with an offset. */
export const Moment = z.iso.datetime({
  offset: true,
  error: 'an ISO 8601 time is needed, such as 2026-11-21T08:00:00.000Z',
});
