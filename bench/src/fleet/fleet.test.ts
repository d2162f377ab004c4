import { createTestDatabase } from '@session/testing';
import { expect, test } from 'vitest';
import { runFleet } from './fleet.ts';

test('a small fleet beats, looks for slots, and claims what is new', async () => {
  await using database = await createTestDatabase();
  const fleet = { recorders: 3, rooms: 5, connections: 2, newSessionEveryMs: 200 };
  const stop = new AbortController().signal;
  const result = await runFleet(database.url, { ...fleet, durationMs: 3000 }, stop);
  expect(result.heartbeatsMs.length).toBeGreaterThanOrEqual(fleet.recorders);
  expect(result.roundsMs.length).toBeGreaterThanOrEqual(fleet.recorders);
  expect(result.claimedMs.length + result.unclaimed).toBeGreaterThan(0);
});
