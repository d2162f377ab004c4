import type { Erasure } from '@session/client';
import { expect, test } from 'vitest';
import { countsText, scopeText, statusOf } from './erasure-texts.ts';

const counts = { sessions: 1, messages: 1, searchRows: 0, deliveries: 0, agentLogs: 0 };

test.for<[Erasure['scope'], string]>([
  [{ sessionId: 's' }, 'A session'],
  [{ sessionId: 's', messageIds: ['a'] }, '1 message of a session'],
  [{ sessionId: 's', messageIds: ['a', 'b'] }, '2 messages of a session'],
  [{ sessionId: 's', identity: 'user-1' }, 'A person in a session'],
  [{ userId: 'u' }, 'An end user'],
])('%j: %s', ([scope, text]) => {
  expect(scopeText({ scope })).toBe(text);
});

test('what is under way says what it waits for', () => {
  const recorders = [
    { id: 'a', acknowledged: true },
    { id: 'b', acknowledged: false },
  ];
  expect(statusOf({ status: 'running', recorders })).toEqual({ name: 'Erasing', tone: 'iris' });
  const waiting = { name: 'Waiting for 1 recorder', tone: 'iris' };
  expect(statusOf({ status: 'waiting', recorders })).toEqual(waiting);
  expect(statusOf({ status: 'waiting', recorders: [] }).name).toBe('Checking again');
  expect(statusOf({ status: 'done', recorders })).toEqual({ name: 'Done', tone: 'ok' });
});

test('counts are said as people say them', () => {
  expect(countsText({ counts })).toBe('1 message');
  expect(countsText({ counts: { ...counts, messages: 1200, sessions: 3 } })).toBe(
    '1,200 messages in 3 sessions',
  );
});
