import type { Agent } from '@session/contract';
import { describe, expect, test } from 'vitest';
import { canHear } from '../../agent/agent-queries.ts';
import { microphoneLabel, microphoneProblem } from './microphone-texts.ts';
import { presencesOf } from './presence-texts.ts';

const agent: Agent = {
  id: '01a20316-eea5-71fb-b52e-cc867c11482a',
  sessionId: 's',
  role: 'core-agent',
  status: 'Starting',
  reason: null,
  detail: null,
  exitCode: null,
  planId: null,
  envTemplateId: null,
  agentTemplateId: null,
  agentTemplateVersion: null,
  variables: {},
  config: {},
  createdBy: 'u',
  createdAt: '2026-01-01T10:00:00.000Z',
  restarts: 0,
  startedAt: null,
  runningAt: null,
  stoppedAt: null,
};
const seen = {
  identity: 'agent-core-agent-7c11482a',
  name: 'Core agent',
  kind: 'agent',
  isLocal: false,
  isSpeaking: false,
  agentState: 'listening',
};
const ada = { ...seen, identity: 'user-1', name: 'Ada', kind: 'user', agentState: null };
const self = { ...ada, identity: 'user-2', isLocal: true };
const titleOf = (role: string) => (role === 'core-agent' ? 'Core agent' : role);
const saidOf = (
  agents: Parameters<typeof presencesOf>[0],
  participants: Parameters<typeof presencesOf>[1],
  hears = true,
) =>
  presencesOf(agents, participants, { titleOf, canHear: () => hears }).map(
    ({ name, does }) => `${name} ${does}`,
  );

describe('the room', () => {
  test('shows an agent from the moment that it is asked for, and once only when it has joined', () => {
    expect(saidOf([agent], [])).toEqual(['Core agent is starting …']);
    const running: Agent = { ...agent, status: 'Running' };
    expect(saidOf([running], [self])).toEqual(['Core agent is joining …']);
    expect(
      saidOf([running], [self, { ...seen, identity: `agent-core-agent-${agent.id.slice(-8)}` }]),
    ).toEqual(['Core agent is listening']);
    expect(saidOf([{ ...agent, status: 'Stopped' }], [])).toEqual([]);
  });

  test('shows to whom only looks that a running agent is there', () => {
    expect(saidOf([agent], [])).toEqual(['Core agent is starting …']);
    expect(saidOf([{ ...agent, status: 'Running' }], [])).toEqual(['Core agent is here']);
  });

  test('shows what an agent does, an unknown state by its name', () => {
    const states = ['thinking', 'speaking', 'day_dreaming', null];
    expect(states.flatMap((agentState) => saidOf([], [{ ...seen, agentState }]))).toEqual([
      'Core agent is thinking …',
      'Core agent is speaking',
      'Core agent is day dreaming',
      'Core agent is here',
    ]);
  });

  test('says of an agent that cannot hear that it reads, unless it thinks or speaks', () => {
    const states = ['listening', null, 'thinking', 'speaking'];
    expect(states.flatMap((agentState) => saidOf([], [{ ...seen, agentState }], false))).toEqual([
      'Core agent reads, does not hear',
      'Core agent reads, does not hear',
      'Core agent is thinking …',
      'Core agent is speaking',
    ]);
  });

  test.each([
    ['light-agent', {}, ['text'], false],
    ['core-agent', {}, ['text', 'hearing', 'voice'], true],
    ['echo-agent', { echoMode: 'text' }, ['text', 'hearing', 'voice'], false],
    ['echo-agent', { echoMode: 'both' }, ['text', 'hearing', 'voice'], true],
    ['of an older API', {}, undefined, true],
  ] as const)('knows whether the agent %s with %j hears', (role, config, capabilities, hears) => {
    expect(canHear([{ role, capabilities }], { ...agent, role, config })).toBe(hears);
  });

  test('shows others only while they speak, and never this client', () => {
    expect(saidOf([], [ada, { ...ada, isSpeaking: true, isLocal: true }])).toEqual([]);
    expect(saidOf([], [{ ...ada, isSpeaking: true }])).toEqual(['Ada is speaking']);
  });
});

test('a microphone that does not work has a sentence with the way out, and a button', () => {
  for (const state of ['denied', 'absent', 'insecure', 'failed'] as const) {
    expect(microphoneProblem(state)).toMatch(/(then try again|to talk)\.$/);
    expect(microphoneLabel(state)).toBe('Try the microphone again');
  }
  expect(microphoneProblem('off')).toBeUndefined();
});
