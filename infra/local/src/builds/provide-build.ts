import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { hasCode } from '@session/kit';

/** This many builds are kept, so that changing branches back and forth builds nothing. */
const KEPT_BUILDS = 10;

/**
 * The priority of a builder: lower than that of the servers, which start at the same time and for which the user waits.
 */
export const LOW_PRIORITY = 10;

/** Returns the folder `name` of `cache`, which `build` fills unless it is there. */
export async function provideBuild(
  cache: string,
  name: string,
  build: (folder: string) => Promise<void>,
): Promise<string> {
  const built = path.join(cache, name);
  if (await isUsed(built)) return built;
  await mkdir(cache, { recursive: true });
  const draft = `${built}.${randomUUID().slice(0, 8)}`;
  try {
    await build(draft);
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

async function prune(cache: string): Promise<void> {
  const builds: { folder: string; usedAt: number }[] = [];
  for (const name of await readdir(cache)) {
    const folder = path.join(cache, name);
    // Another build may just have been renamed or removed.
    const found = await stat(folder).catch(() => undefined);
    if (found) builds.push({ folder, usedAt: found.mtimeMs });
  }
  const oldest = builds.toSorted((a, b) => b.usedAt - a.usedAt).slice(KEPT_BUILDS);
  for (const { folder } of oldest) await rm(folder, { recursive: true, force: true });
}
