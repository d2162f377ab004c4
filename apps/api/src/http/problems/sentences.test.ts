import { expect, test } from 'vitest';
import * as z from 'zod';
import { sentenceOf } from './sentences.ts';

const text = z.string();
const cases: [z.ZodType, unknown, string][] = [
  [text, undefined, 'a text is needed'],
  [text.min(1), '', 'a text of at least 1 character is needed'],
  [text.min(8), 'a', 'a text of at least 8 characters is needed'],
  [text.max(2), 'abc', 'a text of at most 2 characters is needed'],
  [text.length(2), 'abc', 'a text of exactly 2 characters is needed'],
  [text.regex(/^a$/), 'b', 'a text of another form is needed'],
  [z.email(), 'ada', 'an e-mail address is needed'],
  [z.uuid(), '7', 'a UUID is needed'],
  [z.url(), '7', 'a URL is needed'],
  [z.iso.datetime(), '7', 'an ISO 8601 time is needed'],
  [z.number(), '7', 'a number is needed'],
  [z.int(), 1.5, 'a whole number is needed'],
  [z.number().min(3), 2, 'a number of at least 3 is needed'],
  [z.number().multipleOf(5), 2, 'a multiple of 5 is needed'],
  [z.boolean(), 'yes', 'true or false is needed'],
  [z.enum(['MEMBER', 'ADMIN', 'OWNER']), 'BOSS', 'MEMBER, ADMIN, or OWNER is needed'],
  [z.array(text).min(1), [], 'a list of at least 1 item is needed'],
  [z.array(text).max(2), ['a', 'b', 'c'], 'a list of at most 2 items is needed'],
  [z.object({}), [], 'an object is needed'],
  [text.refine(() => false), 'a', 'another value is needed'],
  [z.union([text, z.number()]), true, 'another value is needed'],
  [text.min(1, 'a name of ours is needed'), '', 'a name of ours is needed'],
];

test.each(cases)('case %#: %3$s', (schema, value, sentence) => {
  const { error } = schema.safeParse(value, { error: sentenceOf });
  expect(error?.issues.map(({ message }) => message)).toEqual([sentence]);
});
