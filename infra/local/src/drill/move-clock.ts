import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { DrillStack } from './drill-stack.ts';

const FILE = 'clock-is-wrong';

/** A module for Node that puts a recorder's clock ten seconds back, while there is a file in the stack's folder. */
const MODULE = `import { existsSync } from 'node:fs';
if (process.argv[1]?.includes('/apps/recorder/')) {
  const now = Date.now;
  Date.now = () => now() - (existsSync(process.env.STACK_DIR + '/${FILE}') ? 10_000 : 0);
}`;

export const MOVABLE_CLOCK = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(MODULE)}`,
};

export async function moveClock({ folder }: DrillStack): Promise<AsyncDisposable> {
  const file = path.join(folder, FILE);
  await writeFile(file, '');
  return { [Symbol.asyncDispose]: () => rm(file) };
}
