import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { restart } from './break-media.ts';
import type { DrillStack } from './drill-stack.ts';

const FILE = 'clock-is-wrong';

/** A module for Node that puts a recorder's clock ten seconds back, while there is a file in the stack's folder. */
const MODULE = `import { existsSync } from 'node:fs';
const isRecorder = process.argv[1]?.includes('/apps/recorder/');
if (isRecorder && existsSync(process.env.STACK_DIR + '/${FILE}')) {
  const now = Date.now;
  Date.now = () => now() - 10_000;
}`;

export const MOVABLE_CLOCK = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(MODULE)}`,
};

export async function moveClock(stack: DrillStack): Promise<AsyncDisposable> {
  const file = path.join(stack.folder, FILE);
  await using parts = new AsyncDisposableStack();
  parts.defer(async () => {
    await rm(file);
    await restart(stack, 'recorder-1');
  });
  await writeFile(file, '');
  await restart(stack, 'recorder-1');
  return parts.move();
}
