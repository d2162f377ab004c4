import { expect, test } from 'vitest';
import { hasVariables, withPlace, withRole, withTemplate, withVariables } from './agent-body.ts';

const echo = {
  role: 'echo-agent',
  planId: 'p1',
  envTemplateId: 'e1',
  config: { echoMode: 'both', restart: 'never' },
} as const;

test('another role keeps all but what the echo agent echoes', () => {
  expect(withRole(echo, 'light-agent')).toEqual({
    role: 'light-agent',
    planId: 'p1',
    envTemplateId: 'e1',
    config: { restart: 'never' },
  });
});

test('an agent template replaces role and plan, and another role the template and its variables', () => {
  const body = withVariables(withTemplate(echo, 't1'), { guest: 'Mina', hotel: '' });
  expect(body).toEqual({
    agentTemplateId: 't1',
    envTemplateId: 'e1',
    config: { restart: 'never' },
    variables: { guest: 'Mina' },
  });
  expect(withRole(body, 'light-agent')).toEqual({
    role: 'light-agent',
    envTemplateId: 'e1',
    config: { restart: 'never' },
  });
  expect(withVariables(body, { guest: '' })).not.toHaveProperty('variables');
});

test('an external agent has neither an environment template nor a setting for its crash', () => {
  expect(withRole(echo, 'external')).toEqual({ role: 'external', planId: 'p1' });
  const elsewhere = withPlace(withTemplate(echo, 't1'), true);
  expect(elsewhere).toEqual({ role: 'external', agentTemplateId: 't1' });
  expect(withPlace(elsewhere, false)).toEqual({ agentTemplateId: 't1' });
});

test('a required variable needs a value', () => {
  const template = { variables: [{ name: 'guest', required: true }, { name: 'hotel' }] };
  expect(hasVariables({}, template)).toBe(false);
  expect(hasVariables({ variables: { guest: 'Mina' } }, template)).toBe(true);
});
