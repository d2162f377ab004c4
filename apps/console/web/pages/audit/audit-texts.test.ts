import { expect, test } from 'vitest';
import { ACTION_NAMES, actionOf, auditText, sessionOf } from './audit-texts.ts';

test('each action has a sentence and a name', () => {
  for (const action of Object.keys(ACTION_NAMES)) {
    expect(auditText({ action, detail: {} })).not.toBe(action);
    expect(actionOf(action)).toBe(action);
  }
});

test.for([
  [
    'api_key.created',
    { name: 'Backend', role: 'MEMBER' },
    'created the API key “Backend” as Member',
  ],
  [
    'member.role_changed',
    { name: 'Ravi', role: 'ADMIN', formerRole: 'MEMBER' },
    'changed the role of Ravi from Member to Admin',
  ],
  [
    'project.renamed',
    { name: 'New', formerName: 'Old' },
    'renamed the project from “Old” to “New”',
  ],
  ['project.retention_changed', { days: 30 }, 'let the project keep histories for 30 days'],
  ['project.retention_changed', { days: null }, 'let the project keep histories for ever'],
  [
    'project.search_language_changed',
    { language: 'german' },
    'let the project be searched in German',
  ],
  [
    'project.search_language_changed',
    { language: null },
    'let the project be searched word by word',
  ],
  ['agent.stopped', { role: 'echo-agent' }, 'stopped the agent Echo agent'],
  ['plan_template.created', {}, 'created the plan “unknown”'],
  ['quota.raised', { name: 'a' }, 'quota.raised'],
] as const)('%s is said in words', ([action, detail, words]) => {
  expect(auditText({ action, detail })).toBe(words);
});

test('an event leads to the session it concerns, but not to a deleted one', () => {
  const actor = { id: 'u', name: 'Ada', kind: 'person' } as const;
  const event = { id: 'e', at: '2026-11-26T07:00:00.000Z', actor, target: 'a', detail: {} };
  expect(sessionOf({ ...event, action: 'session.closed', target: 's' })).toBe('s');
  expect(sessionOf({ ...event, action: 'session.deleted', target: 's' })).toBe(undefined);
  expect(sessionOf({ ...event, action: 'agent.started', detail: { sessionId: 's' } })).toBe('s');
});
