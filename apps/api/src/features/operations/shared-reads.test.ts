import { startVirtualTime } from '@session/testing/virtual-time';
import { expect, test, vi } from 'vitest';
import { SharedReads } from './shared-reads.ts';

/** Reads that end when `end` is called, one for each time that a read has begun. */
function openReads(limitMs: number) {
  const begun: { owner: string; leftMs: () => number; end: (result: string) => void }[] = [];
  const read = async (owner: string, leftMs: () => number) => {
    const { promise, resolve: end } = Promise.withResolvers<string>();
    begun.push({ owner, leftMs, end });
    return await promise;
  };
  return { begun, reads: new SharedReads(read, limitMs, 2) };
}

test('requests of one owner share a read, and those after it read again', async () => {
  const { begun, reads } = openReads(30_000);
  const first = [reads.run('ana'), reads.run('ana')];
  const ben = reads.run('ben');
  begun[1]?.end('of ben');
  expect(await ben).toBe('of ben');
  begun[0]?.end('of ana');
  expect(await Promise.all(first)).toEqual(['of ana', 'of ana']);
  const later = reads.run('ana');
  begun[2]?.end('newer');
  expect(await later).toBe('newer');
  expect(begun.map(({ owner }) => owner)).toEqual(['ana', 'ben', 'ana']);
});

test('a read that takes too long has no time left, and keeps the only turn of its owner until then', async () => {
  startVirtualTime();
  const { begun, reads } = openReads(1600);
  for (let count = 0; count < 2; count += 1) {
    const refusal = reads.run('ana').catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1600);
    expect(await refusal).toMatchObject({ code: 'unavailable' });
    expect(begun[0]?.leftMs()).toBeLessThanOrEqual(0);
  }
  const ben = reads.run('ben');
  begun[1]?.end('of ben');
  expect(await ben).toBe('of ben');
  expect(begun.map(({ owner }) => owner)).toEqual(['ana', 'ben']);
});
