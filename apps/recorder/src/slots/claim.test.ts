import type { SlotRow } from '@session/db';
import { expect, test } from 'vitest';
import { claimAllSlots } from './claim.ts';

const row = (index: number): SlotRow => ({
  sessionId: `session ${index}`,
  slotNumber: 0,
  epoch: 1,
  sessionStatus: 'ACTIVE',
});

/** Claims from a database with that many free slots; returns what was asked, and what was logged. */
async function claim(free: number, capacity: number, load: number, fromDead = true) {
  const asked: string[] = [];
  const warnings: unknown[][] = [];
  let left = free;
  const queries = {
    async provideSlots(redundancy: number) {
      asked.push(`provide ${redundancy}`);
    },
    async claimSlots({ limit, fromDead: isFromDead }: { limit: number; fromDead?: boolean }) {
      const count = Math.min(limit, left);
      left -= count;
      asked.push(`claim ${count}${isFromDead ? '' : ' of the living'}`);
      return Array.from({ length: count }, (_, index) => row(index));
    },
  };
  const log = { warn: (...line: unknown[]) => void warnings.push(line) };
  const deps = { recorderId: 'recorder', capacity, redundancy: 2, queries, log };
  await claimAllSlots(deps, load, fromDead);
  return { asked, warnings, left };
}

test('every free slot is claimed in steps of 16, after missing slots were created', async () => {
  expect(await claim(20, 200, 0)).toEqual({
    asked: ['provide 2', 'claim 16', 'claim 4', 'claim 0'],
    warnings: [],
    left: 0,
  });
});

test('without free slots there is one claim in a round', async () => {
  expect((await claim(0, 200, 0)).asked).toEqual(['provide 2', 'claim 0']);
});

test('a recorder past its capacity takes one step in a round, and warns with its load', async () => {
  const { asked, warnings, left } = await claim(100, 20, 10);
  expect([asked, left]).toEqual([['provide 2', 'claim 16'], 84]);
  expect(warnings).toEqual([[{ load: 26, capacity: 20 }, expect.any(String)]]);
});

test('a recorder that is exactly full claims on, for the database knows whether others have room', async () => {
  const { asked, warnings } = await claim(16, 16, 0);
  expect([asked, warnings]).toEqual([['provide 2', 'claim 16', 'claim 0'], []]);
});

test('slots of dead recorders are left alone while none may be declared dead', async () => {
  expect((await claim(1, 9, 0, false)).asked).toEqual([
    'provide 2',
    'claim 1 of the living',
    'claim 0 of the living',
  ]);
});
