import { StartError } from '@session/kit';
import { expect, test } from 'vitest';
import { readArguments } from './read-arguments.ts';

test('without parts all are measured; an unknown part is named', () => {
  expect(readArguments(['http'])).toEqual({
    bench: 'http',
    parts: ['reads', 'logins', 'waiting'],
    rows: 1_000_000,
    rounds: 7,
  });
  expect(readArguments(['http', 'logins', '--rows', '10000000', '--rounds', '3'])).toEqual({
    bench: 'http',
    parts: ['logins'],
    rows: 10_000_000,
    rounds: 3,
  });
  expect([readArguments([]), readArguments(['http', '--help'])]).toEqual([undefined, undefined]);
  expect(readArguments(['recorder', 'lag', 'rooms'])).toEqual({
    bench: 'recorder',
    parts: ['rooms', 'lag'],
    minutes: 30,
    rounds: 7,
  });
  expect(readArguments(['recorder', '--minutes', '3'])).toMatchObject({
    parts: ['rooms', 'queue', 'lag', 'recovery'],
    minutes: 3,
  });
  expect(readArguments(['recorder', 'steady'])).toMatchObject({ parts: ['steady'] });
  expect(readArguments(['agents', '--rounds', '20'])).toEqual({ bench: 'agents', rounds: 20 });
  expect(readArguments(['fleet'])).toEqual({ bench: 'fleet', rounds: 7 });
  expect(readArguments(['mask'])).toEqual({ bench: 'mask', rounds: 7 });
  expect(readArguments(['conversation', 'memory', '--minutes', '1'])).toEqual({
    bench: 'conversation',
    parts: ['memory'],
    roles: ['light-agent', 'core-agent'],
    speechUrl: undefined,
    minutes: 1,
    rounds: 7,
  });
  expect(readArguments(['console', 'scrolling', 'answer'])).toEqual({
    bench: 'console',
    parts: ['answer', 'scrolling'],
    rounds: 7,
  });
  const light = ['conversation', '--role', 'light-agent'];
  expect(readArguments(light)).toMatchObject({
    parts: ['text', 'voice'],
    roles: ['light-agent'],
  });
  const bad = [
    ['conversation', 'lag'],
    ['conversation', '--minutes', '0'],
    ['agents', 'lag'],
    ['mask', 'lag'],
    ['fleet', 'lag'],
    ['console', 'lag'],
    ['htpp'],
    ['http', 'write'],
    ['recorder', 'logins'],
    ['http', '--rows', 'many'],
    ['http', '--rounds', '0'],
    ['recorder', '--minutes', '2'],
    ['http', '--fast'],
  ];
  for (const args of bad) expect(() => readArguments(args)).toThrow(StartError);
});
