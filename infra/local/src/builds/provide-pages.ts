import { setPriority } from 'node:os';
import path from 'node:path';
import { StartError } from '@session/kit';
import type { Progress } from '../supervision/progress.ts';
import { run } from '../supervision/tool.ts';
import { hashOfSources } from './hash-of-sources.ts';
import { LOW_PRIORITY, provideBuild } from './provide-build.ts';

const checkout = path.resolve(import.meta.dirname, '../../../..');
const SOURCES = [
  'apps/console/web',
  'apps/console/vite.config.ts',
  'apps/console/precompress.ts',
  'apps/console/package.json',
  'packages/client/src',
  'packages/client/package.json',
  'packages/contract/src',
  'packages/contract/package.json',
  'pnpm-lock.yaml',
];

export interface PagesOptions {
  readonly stop: AbortSignal;
  readonly progress: Progress;
  readonly root?: string;
  readonly cache?: string;
}

/** Returns the console's pages, built unless cached. Throws a StartError with the reason and the remedy. */
export async function providePages({
  stop,
  progress,
  root = checkout,
  cache = path.join(root, '.cache/console'),
}: PagesOptions): Promise<string> {
  const name = await hashOfSources(root, SOURCES);
  return await provideBuild(cache, name, (folder) =>
    progress.during('Building the pages of the console', () => build(root, folder, stop)),
  );
}

async function build(root: string, outDir: string, stop: AbortSignal): Promise<void> {
  const folder = path.join(root, 'apps/console');
  const vite = path.join(folder, 'node_modules/vite/bin/vite.js');
  await run(process.execPath, [vite, 'build', '--outDir', outDir], {
    cwd: folder,
    env: {
      ...process.env,
      // React's own build for development is four times as large.
      NODE_ENV: 'production',
      // The best quality takes as long as the rest of the build, and saves 7 %.
      BROTLI_QUALITY: '9',
      NO_COLOR: '1',
    },
    stop,
    onSpawn: async (pid) => setPriority(pid, LOW_PRIORITY),
  }).catch((cause: unknown) => {
    if (stop.aborted) throw cause;
    throw new StartError(
      `The console’s pages cannot be built: ${reasonOf(cause)}\nRun \`npx vite build\` in apps/console to see the whole error. Correct the error, and start again.`,
      { cause },
    );
  });
}

const HEADING = /^\s*$|(?:^|\s)build failed|:$/i;

function reasonOf(failure: unknown): string {
  const lines = failure instanceof Error ? failure.message.split('\n') : [String(failure)];
  return (lines.find((line) => !HEADING.test(line)) ?? lines[0] ?? '').trim();
}
