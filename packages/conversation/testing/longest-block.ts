import { setImmediate } from 'node:timers/promises';

/**
 * Returns for how long `action` blocks the event loop, in milliseconds of this thread's processor: other programs do not count. Of
 * three runs the fastest counts, because the first one also compiles.
 */
export async function longestBlockMs(action: () => Promise<void>): Promise<number> {
  const blocks: number[] = [];
  for (let run = 0; run < 3; run += 1) blocks.push(await blockOf(action));
  return Math.min(...blocks);
}

async function blockOf(action: () => Promise<void>): Promise<number> {
  const run = { hasEnded: false };
  const ended = action().finally(() => {
    run.hasEnded = true;
  });
  // A failure is thrown after the last measure.
  ended.catch(() => {});
  let longest = 0;
  while (!run.hasEnded) {
    const before = process.threadCpuUsage();
    await setImmediate();
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
  }
  await ended;
  return longest;
}
