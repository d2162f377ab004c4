import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { setPriority } from 'node:os';
import path from 'node:path';
import { hasCode, StartError } from '@session/kit';
import type { Progress } from '../supervision/progress.ts';
import { run } from '../supervision/tool.ts';
import { hashOfSources } from './pages-hash.ts';

const checkout = path.resolve(import.meta.dirname, '../../../..');
/** Builds to keep, so that changing branches back and forth builds nothing. */
const KEPT_BUILDS = 10;
/** Lower than that of the servers, which start at the same time and whose user waits. */
const LOW_PRIORITY = 10;

export interface PagesOptions {
  readonly stop: AbortSignal;
  readonly progress: Progress;
  readonly root?: string;
  readonly cache?: string;
}

/**
 * Returns the folder of the console's pages, built unless the cache has a build of the same sources. Throws a StartError with
 * the reason and the remedy when the build fails.
 */
export async function providePages({
  stop,
  progress,
  root = checkout,
  cache = path.join(root, '.cache/console'),
}: PagesOptions): Promise<string> {
  const built = path.join(cache, await hashOfSources(root));
  if (await isUsed(built)) return built;
  await mkdir(cache, { recursive: true });
  const draft = `${built}.${randomUUID().slice(0, 8)}`;
  try {
    await progress.during('Building the pages of the console', () => build(root, draft, stop));
    // Of two simultaneous builds one wins.
    await rename(draft, built).catch(async (error: unknown) => {
      if (!(hasCode(error, 'ENOTEMPTY') || hasCode(error, 'EEXIST'))) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  await prune(cache);
  return built;
}

/** Marks a build as used now. Returns whether it exists. */
async function isUsed(built: string): Promise<boolean> {
  const now = new Date();
  return await utimes(built, now, now).then(
    () => true,
    () => false,
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
      `Its pages cannot be built: ${reasonOf(cause)}\nRun \`npx vite build\` in apps/console to see all of it. Correct it, and start again.`,
      { cause },
    );
  });
}

const HEADING = /^\s*$|(?:^|\s)build failed|:$/i;

function reasonOf(failure: unknown): string {
  const lines = failure instanceof Error ? failure.message.split('\n') : [String(failure)];
  return (lines.find((line) => !HEADING.test(line)) ?? lines[0] ?? '').trim();
}

async function prune(cache: string): Promise<void> {
  const builds: { folder: string; usedAt: number }[] = [];
  for (const name of await readdir(cache)) {
    const folder = path.join(cache, name);
    builds.push({ folder, usedAt: (await stat(folder)).mtimeMs });
  }
  const oldest = builds.toSorted((a, b) => b.usedAt - a.usedAt).slice(KEPT_BUILDS);
  for (const { folder } of oldest) await rm(folder, { recursive: true, force: true });
}
