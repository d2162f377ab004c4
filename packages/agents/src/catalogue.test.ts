import { expect, test } from 'vitest';
import { CATALOGUE, findAgentType } from './catalogue.ts';
import { bytesOf } from './memory.ts';

test('every role names itself, and an alias what it stands for', () => {
  for (const type of CATALOGUE) {
    expect(findAgentType(type.role)).toBe(type);
    expect(bytesOf(type.resources.memory[1])).toBeGreaterThan(0);
  }
  expect(findAgentType('the service')?.role).toBe('echo-agent');
  expect(findAgentType('constructor')).toBeUndefined();
});

test('the echo agent gets what the specification says, and needs no template', () => {
  expect(findAgentType('echo-agent')).toMatchObject({
    resources: { cpu: ['50m', '200m'], memory: ['128Mi', '512Mi'] },
    requiredVariables: [],
  });
});
