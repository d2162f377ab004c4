import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { textMessage } from '../../../testing/history-writer.ts';
import { tempFolder } from '../../../testing/recorder-process.ts';
import { Spool } from './spool.ts';
import { SpoolRoom } from './spool-room.ts';

const LIMIT_BYTES = 100_000;

async function openRoom() {
  await using stack = new AsyncDisposableStack();
  const { folder } = stack.use(await tempFolder());
  const disk = { isDiskOk: true };
  let dropped = 0;
  const onShed = (_sessionId: string, count: number) => {
    dropped += count;
  };
  const spool = stack.use(await Spool.open({ folder, limitBytes: LIMIT_BYTES, onShed }));
  let [nowMs, measurements] = [0, 0];
  const now = () => {
    measurements += 1;
    return nowMs;
  };
  const room = stack.use(
    new SpoolRoom({ folder, limitBytes: LIMIT_BYTES, spool, disk, everyMs: 1, now }),
  );
  const measured = async () => {
    nowMs += 10_000;
    const before = measurements;
    await expect.poll(() => measurements).toBeGreaterThan(before + 1);
  };
  const owned = stack.move();
  return {
    disk,
    spool,
    room,
    measured,
    dropped: () => dropped,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

test('a spool that grows will be full, also while it drops the oldest, and not while it is stored', async () => {
  await using opened = await openRoom();
  const { spool, room, measured } = opened;
  await measured();
  expect([room.freeBytes, room.secondsToFull]).toEqual([LIMIT_BYTES, Infinity]);
  const sessionId = uuidv7();
  while (opened.dropped() < 20) {
    await spool.append([textMessage(sessionId, 'x'.repeat(5000))]);
    await measured();
    expect(room.freeBytes).toBe(LIMIT_BYTES - spool.sizeBytes);
    expect(room.secondsToFull).toBeGreaterThanOrEqual(0);
    // The spool grows by 0.5 kB a second.
    expect(room.secondsToFull).toBeLessThan(200);
  }
  while (spool.length > 0) await spool.settle(await spool.first(100));
  await measured();
  expect([room.freeBytes, room.secondsToFull]).toEqual([LIMIT_BYTES, Infinity]);
});

test('a disk that takes nothing has no room, whatever its size says', async () => {
  await using opened = await openRoom();
  await opened.measured();
  opened.disk.isDiskOk = false;
  expect([opened.room.freeBytes, opened.room.secondsToFull]).toEqual([0, 0]);
  opened.disk.isDiskOk = true;
  expect([opened.room.freeBytes, opened.room.secondsToFull]).toEqual([LIMIT_BYTES, Infinity]);
});
