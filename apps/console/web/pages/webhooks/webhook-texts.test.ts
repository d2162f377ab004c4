import { expect, test } from 'vitest';
import {
  attemptText,
  changedEvents,
  EVENTS,
  eventsText,
  failureText,
  localMinute,
  statusOf,
  typesOf,
  typesWithoutBox,
  webhookTypes,
} from './webhook-texts.ts';

test('only the types of the API are asked for', () => {
  expect(webhookTypes(['recording.gap', 'toString', null])).toEqual(['recording.gap']);
});

test.each([
  [[], 'Everything but unfinished messages'],
  [['recording.gap'], 'Gaps'],
  [['message.stored', 'session.closed', 'new.type'], 'Messages, Sessions end, new.type'],
])('a webhook of the events %j gets: %s', (events, text) => {
  expect(eventsText({ events })).toBe(text);
});

const STANDARD = webhookTypes(typesOf({ events: [] }));

test.each([
  [[]],
  [['recording.gap', 'message.stored']],
  [['recording.gap', 'new.type']],
  [['new.type']],
])('a webhook of the events %j keeps them when no box is changed', (stored: string[]) => {
  const ticked = webhookTypes(
    EVENTS.map(({ type }) => type).filter((type) => typesOf({ events: stored }).includes(type)),
  );
  expect(changedEvents(ticked, stored)).toBeUndefined();
});

test('a changed choice keeps the types that have no box', () => {
  const stored = ['recording.gap', 'new.type'];
  expect(typesWithoutBox(stored)).toEqual(['new.type']);
  expect(changedEvents(['message.stored'], stored)).toEqual(['message.stored', 'new.type']);
  expect(changedEvents(['message.stored'], [])).toEqual(['message.stored']);
});

test('everything but unfinished messages is stored as the standard', () => {
  expect(changedEvents(STANDARD, ['recording.gap', 'new.type'])).toEqual([]);
  const all = webhookTypes(EVENTS.map(({ type }) => type));
  expect(changedEvents(all, [])).toEqual(all);
});

test('an unknown status is shown by its name', () => {
  expect(statusOf({ status: 'asleep' })).toEqual({ name: 'asleep', tone: 'plain' });
});

test.each([
  ['active', null, undefined],
  [
    'failing',
    'HTTP 500',
    'Attempts fail, and are retried for three days. The last failure: HTTP 500.',
  ],
  ['dead', null, 'Messages of some session were given up. “Try again” sends them.'],
  ['disabled', null, 'Nothing is sent. Once it is enabled, it gets what waits.'],
] as const)('a webhook that is %s says why not everything arrives', (status, lastFailure, text) => {
  expect(failureText({ status, lastFailure })).toBe(text);
});

test.each([
  [{ statusCode: 204, durationMs: 12, failure: null }, '204 after 12 ms'],
  [{ statusCode: 500, durationMs: 3, failure: 'HTTP 500' }, '500 after 3 ms'],
  [
    { statusCode: null, durationMs: 15_000, failure: 'no answer within 15 s' },
    'no answer within 15 s, after 15000 ms',
  ],
])('an attempt says what came of it: %j', (attempt, text) => {
  expect(attemptText(attempt)).toBe(text);
});

test('a moment in a field is that moment again when the field is read', () => {
  const at = Date.UTC(2026, 10, 24, 23, 59);
  expect(new Date(localMinute(at)).getTime()).toBe(at);
});
