import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { hasCode } from '@session/kit';

/** Returns a hash of `sources`, which are files and folders below `root`. Tests do not count. */
export async function hashOfSources(root: string, sources: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const source of sources) {
    for (const file of await filesOf(path.join(root, source))) {
      const content = await readFile(file);
      // The length separates the files: no content can look like the next file.
      hash.update(`${path.relative(root, file)}\0${content.length}\0`).update(content);
    }
  }
  return hash.digest('hex').slice(0, 16);
}

async function filesOf(place: string): Promise<string[]> {
  const entries = await readdir(place, { recursive: true, withFileTypes: true }).catch(
    (error: unknown) => {
      if (hasCode(error, 'ENOTDIR')) return undefined;
      throw error;
    },
  );
  if (!entries) return [place];
  return entries
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .toSorted();
}
