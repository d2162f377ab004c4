import { expect, test } from 'vitest';
import type * as z from 'zod';
import {
  accepts,
  faultsIn,
  NOT_OBJECTS,
  UNEXPECTED_KEYS,
  withField,
} from '../../testing/shapes.ts';
import {
  AgentConfig,
  AgentLogQuery,
  AgentTemplateChange,
  EnvTemplateChange,
  MessageImport,
  NewAgent,
  NewAgentTemplate,
  NewEnvTemplate,
  NewMessage,
  NewPlanTemplate,
  NewSession,
  PageQuery,
  PlanTemplateChange,
  SessionChange,
  SessionsQuery,
} from '../index.ts';

const said = { id: 'a', role: 'user', content: 'Hi', timestamp: '2026-01-01T00:00:00Z' };
const step = { title: 'Day', instructions: 'Ask for the day.' };

/** Every shape that a client sends, each with a valid value and the fields that it cannot do without. */
const requests: [name: string, shape: z.ZodType, valid: object, required: string[]][] = [
  ['NewAgent', NewAgent, { role: 'echo-agent' }, ['role']],
  ['AgentConfig', AgentConfig, { echoMode: 'text' }, []],
  ['AgentLogQuery', AgentLogQuery, { tail: '1' }, []],
  ['PageQuery', PageQuery, { limit: '1' }, []],
  ['MessageImport', MessageImport, { messages: [said] }, ['messages']],
  ['NewMessage', NewMessage, { content: 'Hi' }, ['content']],
  [
    'NewEnvTemplate',
    NewEnvTemplate,
    { name: 'Production', variables: { LLM_API_KEY: 'k' } },
    ['name', 'variables'],
  ],
  ['EnvTemplateChange', EnvTemplateChange, { name: 'Production' }, []],
  [
    'NewAgentTemplate',
    NewAgentTemplate,
    { name: 'Front desk', role: 'light-agent' },
    ['name', 'role'],
  ],
  ['AgentTemplateChange', AgentTemplateChange, { name: 'Front desk' }, []],
  ['NewPlanTemplate', NewPlanTemplate, { name: 'Booking', steps: [step] }, ['name', 'steps']],
  ['PlanTemplateChange', PlanTemplateChange, { name: 'Booking' }, []],
  ['NewSession', NewSession, { name: 'Hello' }, ['name']],
  ['SessionChange', SessionChange, { name: 'Hello' }, []],
  ['SessionsQuery', SessionsQuery, { q: 'hello', 'metadata[customer]': 'c-17' }, []],
];

test.each(requests)(
  '%s refuses a key that it does not know, so that no typo is ignored',
  (...row) => {
    const [, shape, valid] = row;
    expect(faultsIn(shape, valid)).toEqual([]);
    for (const key of UNEXPECTED_KEYS) {
      expect([key, accepts(shape, withField(valid, key, 'x'))]).toEqual([key, false]);
    }
  },
);

test.each(requests)('%s names each required field that is missing or null', (...row) => {
  const [, shape, valid, required] = row;
  expect(faultsIn(shape, {})).toEqual(required);
  const nulls = Object.fromEntries(required.map((name) => [name, null]));
  expect(faultsIn(shape, { ...valid, ...nulls })).toEqual(required);
});

test.each(requests)('%s refuses every value that is no object', (_, shape) => {
  for (const value of NOT_OBJECTS) {
    expect([value, accepts(shape, value)]).toEqual([value, false]);
  }
  expect(accepts(shape, undefined)).toBe(false);
});

test.each(requests)('%s does not change the value that it parses', (_, shape, valid) => {
  const before = JSON.stringify(valid);
  shape.parse(valid);
  expect(JSON.stringify(valid)).toBe(before);
});
