import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { fillDisk, openTestHistoryWriter, textMessage } from '../../testing/history-writer.ts';
import { probeDisk } from './disk-probe.ts';

const never = new AbortController().signal;

test('a full disk stays known as full once all is stored, and a free one is known as free without a further message', async () => {
  await using disk = await fillDisk();
  let isAway = true;
  await using opened = await openTestHistoryWriter({
    spoolFolder: disk.folder,
    queries: {
      async appendMessages(batch) {
        if (isAway) throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
        const none = { lockedSessions: [], conflicts: 0, ignored: [], intruded: 0, gaps: [] };
        return { sessions: 1, stored: batch.length, ...none };
      },
    },
  });
  const { writer } = opened;
  const sessionId = uuidv7();
  writer.push(textMessage(sessionId, 'waits in memory'));
  await expect.poll(() => writer.spool.isOk).toBe(false);
  isAway = false;
  await writer.untilStored(sessionId, never);
  expect([writer.spool.isOk, writer.length]).toEqual([false, 0]);
  await disk.free();
  await expect.poll(() => writer.spool.isOk).toBe(true);
  await expect.poll(() => readdir(path.join(disk.folder, 'spool'))).toEqual([]);
});

test('a disk that is free again is known as free while messages come without a pause', async () => {
  await using disk = await fillDisk();
  const [first, later] = [uuidv7(), uuidv7()];
  let isAway = true;
  await using opened = await openTestHistoryWriter({
    spoolFolder: disk.folder,
    queries: {
      async appendMessages(batch) {
        if (isAway) throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
        // The next message comes before this one is stored, so at every moment a message is waiting.
        if (!writer.spool.isOk) writer.push(textMessage(later, 'comes meanwhile'));
        const none = { lockedSessions: [], conflicts: 0, ignored: [], intruded: 0, gaps: [] };
        return { sessions: 1, stored: batch.length, ...none };
      },
    },
  });
  const { writer } = opened;
  writer.push(textMessage(first, 'waits in memory'));
  await expect.poll(() => writer.spool.isOk).toBe(false);
  isAway = false;
  await writer.untilStored(first, never);
  await disk.free();
  await expect.poll(() => writer.spool.isOk).toBe(true);
});

test('while refused messages are tried again the disk is not asked, and no small file speaks for them', async () => {
  let [isAsked, looks, probes] = [true, 0, 0];
  const state = {
    isDiskOk: false,
    spooled() {
      state.isDiskOk = true;
    },
  };
  const ending = new AbortController();
  const deps = {
    state,
    spool: {
      async probe() {
        probes += 1;
      },
    },
    isAsked: () => {
      looks += 1;
      return isAsked;
    },
    everyMs: 1,
  };
  const probing = probeDisk(deps, ending.signal);
  await expect.poll(() => looks).toBeGreaterThan(3);
  expect(probes).toBe(0);
  isAsked = false;
  await expect.poll(() => state.isDiskOk).toBe(true);
  ending.abort();
  await probing;
  expect(probes).toBe(1);
});
