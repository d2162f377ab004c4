import { expect, test } from 'vitest';
import { replacedSecrets, secretsOf } from './webhook-secrets.ts';

const HOUR_MS = 3_600_000;
const soon = { previousUntil: new Date(Date.now() + HOUR_MS).toISOString() };
const ended = { previousUntil: new Date(Date.now() - 1).toISOString() };
const never = { previousUntil: null };

test('what the release before sealed is read: one former secret, until its end', () => {
  const opened = { current: 'second', previous: 'first' };
  expect(secretsOf(opened, soon)).toEqual(['second', 'first']);
  expect(secretsOf(opened, ended)).toEqual(['second']);
  expect(secretsOf({ current: 'first' }, never)).toEqual(['first']);
  expect(secretsOf(undefined, soon)).toEqual([]);
  expect(secretsOf(replacedSecrets(opened, soon, 'third', 1), soon)).toEqual([
    'third',
    'second',
    'first',
  ]);
  expect(secretsOf(replacedSecrets(opened, ended, 'third', 1), soon)).toEqual(['third', 'second']);
});

test('the release before reads the current secret and the one before from what is sealed', () => {
  const first = replacedSecrets({ current: 'first' }, never, 'second', 24);
  const second = replacedSecrets(first, soon, 'third', 24);
  expect(second).toMatchObject({ current: 'third', previous: 'second' });
});

test('each of the five newest former secrets signs until its own end, whatever the later ones got', () => {
  let sealed: Record<string, string> = { current: '1' };
  for (const next of ['2', '3', '4', '5', '6', '7']) {
    sealed = replacedSecrets(sealed, soon, next, 24);
  }
  expect(secretsOf(sealed, soon)).toEqual(['7', '6', '5', '4', '3', '2']);
  const until = Date.now() + HOUR_MS;
  const former = JSON.stringify([
    { secret: 'ended', until: Date.now() - 1 },
    { secret: 'kept', until },
  ]);
  const some = { current: 'current', previous: 'ended', former };
  expect(secretsOf(some, ended)).toEqual(['current', 'kept']);
  expect(secretsOf(replacedSecrets(some, soon, 'next', 1), soon)).toEqual([
    'next',
    'current',
    'kept',
  ]);
});

test('with 0 hours no former secret stays, and one that could not be opened is replaced', () => {
  const sealed = replacedSecrets({ current: 'first' }, never, 'second', 24);
  expect(replacedSecrets(sealed, soon, 'third', 0)).toEqual({ current: 'third' });
  expect(replacedSecrets(undefined, soon, 'third', 24)).toEqual({ current: 'third' });
});
