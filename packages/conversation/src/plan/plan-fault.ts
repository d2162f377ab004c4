import { StartError } from '@session/kit';
import type * as z from 'zod';

const NOUNS: Readonly<Record<string, string>> = {
  array: 'a list',
  object: 'an object',
  record: 'an object',
  string: 'a text',
  boolean: 'true or false',
  number: 'a number',
};

/** Returns a StartError with one sentence for each faulty field of `source`. None of them quotes a value. */
export function planFault(source: string, { issues }: z.ZodError, plan: unknown): StartError {
  const lines = issues.flatMap(withinUnions).map((issue) => {
    const field = issue.path.length > 0 ? issue.path.map(String).join('.') : 'the plan';
    return `${source}: ${field}: ${sentenceOf(issue, valueAt(plan, issue.path))}`;
  });
  return new StartError(lines.join('\n'));
}

function withinUnions(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const meant = issue.errors.find((issues) => issues.every(({ path }) => path.length > 0));
  if (!meant) return [issue];
  return meant.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

function sentenceOf(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code === 'custom') return issue.message;
  if (value === undefined) return 'this field is missing';
  if (issue.code === 'invalid_type') return `it must be ${NOUNS[issue.expected] ?? issue.expected}`;
  if (issue.code === 'unrecognized_keys') return `there is no field ${issue.keys.join(', ')}`;
  if (issue.code === 'invalid_value') return `it must be one of ${issue.values.join(', ')}`;
  if (issue.code === 'invalid_union') return 'it must be a text, or an object';
  const unit = issue.code.startsWith('too_') && 'origin' in issue ? unitOf(issue.origin) : '';
  if (issue.code === 'too_small' && issue.minimum === 1) return 'it must not be empty';
  if (issue.code === 'too_small') return `it needs at least ${issue.minimum}${unit}`;
  if (issue.code === 'too_big') return `it may have at most ${issue.maximum}${unit}`;
  return issue.message;
}

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters';
  return origin === 'array' ? ' entries' : '';
}

function valueAt(plan: unknown, path: readonly PropertyKey[]): unknown {
  let value = plan;
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Reflect.get(value, name);
  }
  return value;
}
