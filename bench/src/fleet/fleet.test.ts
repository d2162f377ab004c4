import { createTestDatabase } from '@session/testing';
import { expect, test } from 'vitest';
import { limitOf } from './bench-fleet.ts';
import { runFleet } from './fleet.ts';

test('a small fleet beats, looks for slots, and claims what is new', async () => {
  await using database = await createTestDatabase();
  const fleet = { recorders: 3, rooms: 5, connections: 2, simulators: 2, newSessionEveryMs: 200 };
  const stop = new AbortController().signal;
  const result = await runFleet(database.url, { ...fleet, durationMs: 3000 }, stop);
  expect(result.heartbeatsMs.length).toBeGreaterThanOrEqual(fleet.recorders);
  expect(result.roundsMs.length).toBeGreaterThanOrEqual(fleet.recorders);
  expect(result.claimedMs.length + result.unclaimed).toBeGreaterThan(0);
  expect(result.heartbeatsMs.length).toBeLessThanOrEqual(result.heartbeatsDue + fleet.recorders);
  expect(result.simulatorsCpuMs).toBeGreaterThan(0);
  for (const part of [result.simulatorBusy, result.machineIdle]) {
    expect(part).toBeGreaterThanOrEqual(0);
    expect(part).toBeLessThanOrEqual(1);
  }
});

test('a fleet that is too slow is limited by the machine, by its own simulators, or else by the database', () => {
  const late = { heartbeatsDue: 100, heartbeatsMs: Array.from({ length: 90 }, () => 1) };
  const limits = [
    { machineIdle: 0.01, simulatorBusy: 0.9 },
    { machineIdle: 0.5, simulatorBusy: 0.9 },
    { machineIdle: 0.5, simulatorBusy: 0.2 },
  ].map((shares) => limitOf({ ...late, ...shares }));
  expect(limits).toEqual(['this machine', 'the simulation', 'the database']);
  const inTime = { ...late, heartbeatsDue: 92, machineIdle: 0.01, simulatorBusy: 0.9 };
  expect(limitOf(inTime)).toBe('nothing');
});
