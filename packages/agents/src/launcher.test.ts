import { expect, test } from 'vitest';
import { LaunchDelayed, LaunchRefused } from './launcher.ts';

test.each([
  [LaunchRefused, 'LaunchRefused'],
  [LaunchDelayed, 'LaunchDelayed'],
])('a failed launch says why, to its user and in a log', (Failure, name) => {
  const failure = new Failure({ reason: 'no_capacity', detail: 'No node has room.' });
  expect(failure).toMatchObject({ name, reason: 'no_capacity', detail: 'No node has room.' });
  expect(String(failure)).toBe(`${name}: No node has room.`);
});

test('a delayed launch is not taken for a refused one, nor the other way round', () => {
  const problem = { reason: 'lost', detail: 'x' } as const;
  expect(new LaunchDelayed(problem)).not.toBeInstanceOf(LaunchRefused);
  expect(new LaunchRefused(problem)).not.toBeInstanceOf(LaunchDelayed);
});
