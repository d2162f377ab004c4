import type * as z from 'zod';

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  null: 'null',
};
const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'an ISO 8601 time',
  email: 'an e-mail address',
  regex: 'a text of another form',
  url: 'a URL',
  uuid: 'a UUID',
};
const UNITS: Readonly<Record<string, [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['item', 'items'],
  object: ['field', 'fields'],
  record: ['field', 'fields'],
};
const OTHER = 'another value';

/**
 * Returns what a faulty field needs, as it follows the field's path: `body.name: a text of at least 1 character is
 * needed.`
 */
export function sentenceOf(issue: RawIssue): string {
  return `${needOf(issue)} is needed`;
}

function needOf(issue: RawIssue): string {
  if (issue.code === 'invalid_type') return TYPES[issue.expected] ?? OTHER;
  if (issue.code === 'invalid_format') return FORMATS[issue.format] ?? OTHER;
  if (issue.code === 'invalid_value') {
    return new Intl.ListFormat('en', { type: 'disjunction' }).format(issue.values.map(String));
  }
  if (issue.code === 'too_small') {
    return bounded(issue.origin, issue.exact ? 'exactly' : 'at least', issue.minimum);
  }
  if (issue.code === 'too_big') {
    return bounded(issue.origin, issue.exact ? 'exactly' : 'at most', issue.maximum);
  }
  return issue.code === 'not_multiple_of' ? `a multiple of ${issue.divisor}` : OTHER;
}

function bounded(origin: string, relation: string, bound: number | bigint): string {
  const units = UNITS[origin];
  const type = TYPES[origin] ?? OTHER;
  if (!units) return `${type} of ${relation} ${bound}`;
  return `${type} of ${relation} ${bound} ${units[Number(bound) === 1 ? 0 : 1]}`;
}
