import path from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { fillDisk, textMessage } from '../../testing/history-writer.ts';
import { tempFolder } from '../../testing/recorder-process.ts';
import { LaneMessages } from './lanes/lane-messages.ts';
import { Spool } from './spool/spool.ts';

test('messages that are written to the disk while they are being stored are not stored again', async () => {
  await using temp = await tempFolder();
  const folder = path.join(temp.folder, 'spool');
  const messages = new LaneMessages({
    openSpool: () => Spool.open({ folder, limitBytes: 1e6, onShed: () => {} }),
    refuseLine: async () => {},
    spoolMs: 60_000,
  });
  const sessionId = uuidv7();
  const words = ['1', '2', '3'].map((word) => textMessage(sessionId, word));
  await messages.append(words, false);
  expect(await messages.first(2)).toEqual(words.slice(0, 2));
  await messages.spill();
  expect([messages.length, messages.spooled]).toEqual([3, 3]);
  await messages.settle(2);
  expect([messages.length, await messages.first(9)]).toEqual([1, words.slice(2)]);
  await messages.settle(1);
  expect(messages.isEmpty).toBe(true);
  await messages.close();
});

test('while the disk is full, a lane takes no more messages than came within its time in memory', async () => {
  await using disk = await fillDisk();
  const folder = path.join(disk.folder, 'spool');
  const messages = new LaneMessages({
    openSpool: () => Spool.open({ folder, limitBytes: 1e6, onShed: () => {} }),
    refuseLine: async () => {},
    spoolMs: 0,
  });
  const sessionId = uuidv7();
  const [first, second] = ['1', '2'].map((word) => [textMessage(sessionId, word)]);
  await messages.append(first ?? [], false);
  await expect(messages.append(second ?? [], false)).rejects.toThrow(/ENOSPC|EACCES/);
  expect([messages.length, messages.spooled]).toEqual([1, 0]);
  await disk.free();
  await messages.append(second ?? [], false);
  expect([messages.length, messages.spooled]).toEqual([2, 2]);
  expect(await messages.first(10)).toMatchObject([{ content: '1' }, { content: '2' }]);
  await messages.close();
});
