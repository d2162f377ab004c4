import * as z from 'zod';
import { EXAMPLE } from './example.ts';

export const Id = z
  .uuid({ error: 'a UUID is needed' })
  .toLowerCase()
  .meta({ examples: [EXAMPLE.project] });

/** Returns the shape of a whole number in a query. It accepts digits only: no `0x10`, `1e1` or spaces. */
export function WholeNumber(least: number, most: number) {
  return z.preprocess(numberOf, numberFrom(least, most));
}

export function WholeNumberOr(fallback: number, least: number, most: number) {
  // A default of the outer shape would not be in the OpenAPI document.
  return z.preprocess(numberOf, numberFrom(least, most).default(fallback));
}

function numberFrom(least: number, most: number) {
  const error = `a whole number from ${least} to ${most} is needed`;
  return z.number({ error }).int({ error }).min(least, { error }).max(most, { error });
}

function numberOf(text: unknown): unknown {
  return typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : text;
}

/** Returns the shape of the time for which a rotation keeps the older secrets. */
export function HoursKept(description: string) {
  return z.int().min(0).max(168).default(24).describe(description);
}

export const Moment = z.iso.datetime({
  offset: true,
  error: 'an ISO 8601 time is needed, such as 2026-11-21T08:00:00.000Z',
});
