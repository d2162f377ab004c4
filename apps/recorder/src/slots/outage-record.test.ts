import { rmdirSync, writeFileSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { tempFolder } from '../../testing/recorder-process.ts';
import { endKeptIntervals, OutageRecord } from './outage-record.ts';

test('a file that cannot be removed ends nothing, and is removed later', async () => {
  await using temp = await tempFolder();
  const file = path.join(temp.folder, 'kept-intervals.json');
  // A folder, which can neither be replaced by a file nor removed like one.
  await mkdir(file);
  let updates = 0;
  let mend: (() => void) | undefined;
  const third = Promise.withResolvers<void>();
  const record = new OutageRecord({
    folder: temp.folder,
    everyMs: 1,
    isNeeded: () => {
      updates += 1;
      if (updates === 3) third.resolve();
      mend?.();
      return updates === 1;
    },
    intervals: () => [],
  });
  await third.promise;
  mend = () => {
    rmdirSync(file);
    writeFileSync(file, '[]');
    mend = undefined;
  };
  await record[Symbol.asyncDispose]();
  await expect(stat(file)).rejects.toThrow('ENOENT');
});

const at = (second: string) => `2026-11-21T08:00:${second}.000Z`;

test('the next process ends the intervals once, and learns when the file was written', async () => {
  await using temp = await tempFolder();
  const kept = {
    sessionId: uuidv7(),
    id: uuidv7(),
    fromAt: at('01'),
    keptUntil: at('05'),
    endReason: 'connection_lost',
    notedAt: at('09'),
  };
  const record = new OutageRecord({
    folder: temp.folder,
    everyMs: 60_000,
    isNeeded: () => true,
    intervals: () => [kept],
  });
  await record[Symbol.asyncDispose]();
  const ended: object[] = [];
  const queries = {
    insertInterval: async () => {},
    endKeptInterval: async (interval: object) => void ended.push(interval),
  };
  expect(await endKeptIntervals(temp.folder, uuidv7(), queries)).toEqual([kept.sessionId]);
  expect(await endKeptIntervals(temp.folder, uuidv7(), queries)).toEqual([]);
  expect(ended).toEqual([kept]);
});
