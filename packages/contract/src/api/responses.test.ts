import { expect, test } from 'vitest';
import * as z from 'zod';
import { accepts, NOT_OBJECTS } from '../../testing/shapes.ts';
import * as contract from '../index.ts';

const { Agent, examplesOf, Health, Login, Me, Member, Message, Project, pageOf, Session, User } =
  contract;

const shapes = Object.entries(contract).flatMap(
  ([name, shape]: [string, unknown]): [string, z.ZodObject][] =>
    shape instanceof z.ZodObject && examplesOf(shape).length > 0 ? [[name, shape]] : [],
);
/** Shapes of requests have a `catchall`, which refuses unknown fields. */
const responses = shapes.filter(([, shape]) => shape.def.catchall === undefined);
/** `CreatedSession` has fields that only some requests ask for. */
const shown = responses.filter(([name]) => name !== 'CreatedSession');

test.each(shapes)('%s accepts its own examples', (_, shape) => {
  for (const example of examplesOf(shape)) expect(() => shape.parse(example)).not.toThrow();
});

test.each(shown)('%s shows an example of each of its fields', (_, shape) => {
  const fields = examplesOf(shape).flatMap((example) =>
    Object.keys(z.record(z.string(), z.unknown()).parse(example)),
  );
  expect([...new Set(fields)].toSorted()).toEqual(Object.keys(shape.shape).toSorted());
});

test.each(responses)(
  '%s drops a field that it does not know, so that no secret leaks',
  (_, shape) => {
    const [example] = examplesOf(shape);
    const row = z.record(z.string(), z.unknown()).parse(example);
    const secrets = { passwordHash: 'secret', variables: { LLM_API_KEY: 'k' } };
    // A shape may have a harmless field of such a name.
    const parsed = shape.parse({ ...secrets, ...row });
    expect(JSON.stringify(parsed)).toBe(JSON.stringify(shape.parse(row)));
  },
);

test.each(responses)('%s requires every field: an answer never lacks one', (_, shape) => {
  const [example] = examplesOf(shape);
  const row = z.record(z.string(), z.unknown()).parse(example);
  for (const key of Object.keys(row)) {
    const rest = Object.fromEntries(Object.entries(row).filter(([name]) => name !== key));
    expect([key, accepts(shape, rest)]).toEqual([key, false]);
  }
  for (const value of NOT_OBJECTS) expect(accepts(shape, value)).toBe(false);
});

test('a password hash leaks from no nested user either', () => {
  const [login] = examplesOf(Login);
  const [member] = examplesOf(Member);
  const [me] = examplesOf(Me);
  const poison = (value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? {
          ...Object.fromEntries(Object.entries(value).map(([key, item]) => [key, poison(item)])),
          passwordHash: 'secret',
        }
      : value;
  for (const [shape, value] of [
    [Login, login],
    [Member, member],
    [Me, me],
    [Project, { ...Object(examplesOf(Project)[0]), memberships: [poison(member)] }],
  ] as const) {
    const poisoned = poison(value);
    expect(JSON.stringify(poisoned)).toContain('secret');
    expect(JSON.stringify(shape.parse(poisoned))).not.toContain('secret');
  }
});

test.each<[string, z.ZodObject, string, readonly unknown[]]>([
  ['Agent', Agent, 'status', ['starting', 'Killed', '', null]],
  ['Session', Session, 'status', ['active', 'ENDED', null]],
  ['Session', Session, 'closeReason', ['admin', '']],
  ['Message', Message, 'role', ['agent', 'USER', null]],
  ['Message', Message, 'status', ['done', '']],
  ['Member', Member, 'role', ['member', 'GUEST', null]],
  ['Health', Health, 'status', ['fine', null]],
])('%s refuses an unknown %s', (_, shape, field, values) => {
  const [example] = examplesOf(shape);
  for (const value of values) {
    expect([value, accepts(shape, { ...Object(example), [field]: value })]).toEqual([value, false]);
  }
});

test('a page holds items of its shape only, and says where the next page begins', () => {
  const page = pageOf(User);
  const [user] = examplesOf(User);
  expect(page.parse({ items: [user, user], nextCursor: 'c' })).toEqual({
    items: [user, user],
    nextCursor: 'c',
  });
  expect(accepts(page, { items: [], nextCursor: null })).toBe(true);
  expect(accepts(page, { items: [] })).toBe(false);
  expect(accepts(page, { items: [{}], nextCursor: null })).toBe(false);
  expect(accepts(page, { items: user, nextCursor: null })).toBe(false);
  expect(examplesOf(page)).toEqual([{ items: [user], nextCursor: null }]);
});
