import type { SlotRow } from '@session/db';
import { expect, test } from 'vitest';
import { logTo } from '../../testing/log-to.ts';
import { SlotClaims } from './claim.ts';

const row = (index: number): SlotRow => ({
  sessionId: `session ${index}`,
  slotNumber: 0,
  epoch: 1,
  sessionStatus: 'ACTIVE',
});

/**
 * Returns the claims of a recorder on a database with `free` free slots, and lists what was asked and what was logged.
 */
function openClaims(free: number, capacity: number, roomLimit = 1000) {
  const asked: string[] = [];
  const logged: unknown[][] = [];
  const database = { free };
  const queries = {
    async provideSlots(redundancy: number, recorderId: string) {
      asked.push(`provide ${redundancy} for ${recorderId}`);
    },
    async claimSlots({ limit, fromDead }: { limit: number; fromDead?: boolean }) {
      const count = Math.min(limit, database.free);
      database.free -= count;
      asked.push(`claim ${count}${fromDead ? '' : ' of the living'}`);
      return Array.from({ length: count }, (_, index) => row(index));
    },
    async markUnclaimableSessions() {
      asked.push('count');
      return database.free;
    },
  };
  const log = logTo((...line) => void logged.push(line));
  const deps = { recorderId: 'me', capacity, roomLimit, redundancy: 2, queries, log };
  return { claims: new SlotClaims(deps), asked, logged, database };
}

test('every free slot is claimed in steps of 16, after missing slots were created', async () => {
  const { claims, asked, logged, database } = openClaims(20, 200);
  await claims.claimAll(0, true);
  expect(asked).toEqual(['provide 2 for me', 'claim 16', 'claim 4', 'claim 0']);
  expect([logged, database.free]).toEqual([[], 0]);
});

test('without free slots there is one claim in a round', async () => {
  const { claims, asked } = openClaims(0, 200);
  await claims.claimAll(0, true);
  expect(asked).toEqual(['provide 2 for me', 'claim 0']);
});

test('a recorder past its capacity takes one step in a round, and warns with its load', async () => {
  const { claims, asked, logged, database } = openClaims(100, 20);
  await claims.claimAll(10, true);
  expect([asked, database.free]).toEqual([['provide 2 for me', 'claim 16'], 84]);
  expect(logged).toEqual([[{ load: 26, capacity: 20, roomLimit: 1000 }, expect.any(String)]]);
});

test('a recorder that is exactly full claims on, for the database knows whether others have room', async () => {
  const { claims, asked, logged } = openClaims(16, 16);
  await claims.claimAll(0, true);
  expect([asked, logged]).toEqual([['provide 2 for me', 'claim 16', 'claim 0'], []]);
});

test('slots of dead recorders are left alone while none may be declared dead', async () => {
  const { claims, asked } = openClaims(1, 9);
  await claims.claimAll(0, false);
  expect(asked).toEqual(['provide 2 for me', 'claim 1 of the living', 'claim 0 of the living']);
});

test('at its limit of rooms a recorder claims nothing, and logs each change of what no recorder can take', async () => {
  const { claims, asked, logged, database } = openClaims(3, 20, 32);
  const counts: number[] = [];
  for (const free of [3, 3, 4, 0, 0, 1]) {
    database.free = free;
    await claims.claimAll(32, true);
    counts.push(claims.unclaimable);
  }
  expect(asked.filter((question) => question.startsWith('claim'))).toEqual([]);
  expect(counts).toEqual([3, 3, 4, 0, 0, 1]);
  expect(logged.map(([details]) => details)).toEqual([
    { sessions: 3, roomLimit: 32 },
    { sessions: 4, roomLimit: 32 },
    'resumed claiming all sessions',
    { sessions: 1, roomLimit: 32 },
  ]);
});

test('a recorder that comes below its limit reports no session as impossible to take', async () => {
  const { claims, logged, database } = openClaims(3, 32, 32);
  await claims.claimAll(32, true);
  await claims.claimAll(20, true);
  expect([claims.unclaimable, database.free, logged.length]).toEqual([0, 0, 2]);
});
