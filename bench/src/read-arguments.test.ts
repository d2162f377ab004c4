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
  expect(readArguments(['http', 'reads', '--former', 'v1'])).toMatchObject({
    parts: ['reads'],
    former: 'v1',
  });
  expect([readArguments([]), readArguments(['http', '--help'])]).toEqual([undefined, undefined]);
  expect(readArguments(['recorder', 'lag', 'rooms'])).toEqual({
    bench: 'recorder',
    parts: ['rooms', 'lag'],
    rounds: 7,
  });
  expect(readArguments(['recorder'])).toMatchObject({
    parts: ['rooms', 'queue', 'lag', 'recovery'],
  });
  expect(readArguments(['conversation', 'memory', '--minutes', '1'])).toEqual({
    bench: 'conversation',
    parts: ['memory'],
    roles: ['echo-agent', 'light-agent', 'core-agent'],
    speechUrl: undefined,
    minutes: 1,
    rounds: 7,
  });
  expect(readArguments(['service', '--rooms', '40', '--agents', '4', '--minutes', '2'])).toEqual({
    bench: 'service',
    rooms: 40,
    agents: 4,
    rate: 20,
    loginsPerMinute: 20,
    durationMs: 120_000,
    rounds: 7,
  });
  expect(readArguments(['service'])).toMatchObject({ rooms: 200, agents: 20, durationMs: 600_000 });
  expect(readArguments(['service', '--rooms', '2'])).toMatchObject({ rooms: 2, agents: 2 });
  const light = ['conversation', '--role', 'light-agent'];
  expect(readArguments(light)).toMatchObject({
    parts: ['starts', 'text', 'voice'],
    roles: ['light-agent'],
  });
  const bad = [
    ['conversation', 'lag'],
    ['conversation', '--minutes', '0'],
    ['service', 'lag'],
    ['service', '--rooms', '0'],
    ['service', '--rooms', '1601'],
    ['service', '--rooms', '2', '--agents', '3'],
    ['service', '--rate', 'fast'],
    ['service', '--logins', '0'],
    ['service', '--minutes', '0.5'],
    ['htpp'],
    ['http', 'write'],
    ['recorder', 'logins'],
    ['http', '--rows', 'many'],
    ['http', '--rounds', '0'],
    ['recorder', 'steady'],
    ['http', '--fast'],
  ];
  for (const args of bad) expect(() => readArguments(args)).toThrow(StartError);
});
