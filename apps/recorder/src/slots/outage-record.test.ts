import { rmdirSync, writeFileSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../testing/recorder-process.ts';
import { OutageRecord } from './outage-record.ts';

test('a file that cannot be removed ends nothing, and is removed later', async () => {
  await using temp = await tempFolder();
  const file = path.join(temp.folder, 'kept-intervals.json');
  // Neither replaced by the file, nor removed like one.
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
