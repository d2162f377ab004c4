import { expect, test } from 'vitest';
import { type ConnectionState, canFollow } from './connection-state.ts';

const STATES: ConnectionState[] = [
  'waiting',
  'connecting',
  'recording',
  'reconnecting',
  'lost',
  'closed',
];

test('a connection goes forward only, and in a circle between recording and reconnecting alone', () => {
  const arrows = STATES.flatMap((from) =>
    STATES.filter((to) => canFollow(from, to)).map((to) => `${from} → ${to}`),
  );
  expect(arrows).toEqual([
    'waiting → connecting',
    'waiting → lost',
    'waiting → closed',
    'connecting → recording',
    'connecting → lost',
    'connecting → closed',
    'recording → reconnecting',
    'recording → lost',
    'recording → closed',
    'reconnecting → recording',
    'reconnecting → lost',
    'reconnecting → closed',
  ]);
});
