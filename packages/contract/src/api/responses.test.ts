import { expect, test } from 'vitest';
import * as z from 'zod';
import { accepts, NOT_OBJECTS } from '../../testing/shapes.ts';
import {
  Agent,
  AgentLog,
  AgentPreflight,
  AgentTemplate,
  AgentTemplateChange,
  AgentTemplateVersion,
  AgentTimeline,
  AgentTurn,
  AgentTurnSummary,
  AgentTurns,
  AgentType,
  EndUser,
  EnvTemplate,
  EnvTemplateChange,
  examplesOf,
  Health,
  ImportResult,
  LatestMessages,
  ListedAgentTemplate,
  ListedAgentTemplateVersion,
  ListedSession,
  Login,
  Me,
  Member,
  Message,
  NewAgent,
  NewAgentTemplate,
  NewEnvTemplate,
  NewMessage,
  NewPlanTemplate,
  NewSession,
  PlanTemplate,
  PlanTemplateChange,
  Project,
  ProjectSummary,
  pageOf,
  Session,
  SessionChange,
  SessionState,
  SessionToken,
  Statistics,
  ToolTrial,
  User,
} from '../index.ts';

const responses: [string, z.ZodObject][] = Object.entries({
  Agent,
  AgentLog,
  AgentPreflight,
  AgentTemplate,
  AgentTemplateVersion,
  AgentTimeline,
  AgentTurn,
  AgentTurnSummary,
  AgentTurns,
  AgentType,
  EndUser,
  EnvTemplate,
  Health,
  ImportResult,
  LatestMessages,
  ListedAgentTemplate,
  ListedAgentTemplateVersion,
  ListedSession,
  Login,
  Me,
  Member,
  Message,
  PlanTemplate,
  Project,
  ProjectSummary,
  Session,
  SessionState,
  SessionToken,
  Statistics,
  ToolTrial,
  User,
});

const requests: [string, z.ZodType][] = Object.entries({
  AgentTemplateChange,
  EnvTemplateChange,
  NewAgent,
  NewAgentTemplate,
  NewEnvTemplate,
  NewMessage,
  NewPlanTemplate,
  NewSession,
  PlanTemplateChange,
  SessionChange,
});

test.each([...responses, ...requests])('%s accepts its own examples, and has one', (_, shape) => {
  const examples = examplesOf(shape);
  expect(examples).not.toEqual([]);
  for (const example of examples) expect(() => shape.parse(example)).not.toThrow();
});

test.each(responses)('%s shows an example of each of its fields', (_, shape) => {
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
