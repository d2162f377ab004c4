import type { PostgresType } from 'postgres';

const OIDS = { date: 1082, timestamp: 1114, timestamptz: 1184 };

/** Passes points in time as their text: postgres.js would make a `Date` of each, and lose microseconds. */
export const TIME_TEXT: PostgresType<string> = {
  to: OIDS.timestamptz,
  from: Object.values(OIDS),
  serialize: String,
  parse: String,
};
