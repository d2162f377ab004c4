import type * as z from 'zod';

/** JSON values of every type but string. */
export const NOT_STRINGS: readonly unknown[] = [null, true, 0, 1.5, [], ['a'], {}, { length: 1 }];

/** JSON values of every type but object. An array with the right fields counts as one of them. */
export const NOT_OBJECTS: readonly unknown[] = [null, true, 0, '', '{}', [], [{}]];

/** Names of fields that every object inherits, and other names that a strict shape must refuse. */
export const UNEXPECTED_KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'Id',
  ' id',
  '',
  '0',
] as const;

/** Returns the path of each faulty part of `value`, such as `steps.0.title`. It returns none if `shape` accepts `value`. */
export function faultsIn(shape: z.ZodType, value: unknown): string[] {
  const { error } = shape.safeParse(value);
  return [...new Set(error?.issues.map(({ path }) => path.join('.')))];
}

export function messagesAbout(shape: z.ZodType, value: unknown): string[] {
  const { error } = shape.safeParse(value);
  return error?.issues.map(({ message }) => message) ?? [];
}

export function accepts(shape: z.ZodType, value: unknown): boolean {
  return shape.safeParse(value).success;
}

/** Returns a copy of `object` with a further own field, as JSON.parse makes it: `__proto__` is a field like any other. */
export function withField(object: object, key: string, value: unknown): unknown {
  const fields = Object.entries(object).map(
    ([name, field]) => `${JSON.stringify(name)}:${JSON.stringify(field)}`,
  );
  return JSON.parse(`{${[...fields, `${JSON.stringify(key)}:${JSON.stringify(value)}`].join()}}`);
}
