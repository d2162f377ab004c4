import { expect, test } from 'vitest';
import { CATALOGUE, findAgentRole } from './catalogue.ts';
import { bytesOf } from './memory.ts';

test('every role is found by its name, and the echo agent by its alias', () => {
  for (const role of CATALOGUE) {
    expect(findAgentRole(role.name)).toBe(role);
    expect(bytesOf(role.resources.memory[1])).toBeGreaterThan(0);
  }
  expect(findAgentRole('the service')?.name).toBe('echo-agent');
  expect(findAgentRole('constructor')).toBeUndefined();
});

test('the echo agent gets the specified resources, and needs no template', () => {
  expect(findAgentRole('echo-agent')).toMatchObject({
    resources: { cpu: ['50m', '200m'], memory: ['128Mi', '512Mi'] },
    requiredVariables: [],
  });
});
