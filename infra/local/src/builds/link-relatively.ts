import { mkdir, realpath, symlink } from 'node:fs/promises';
import path from 'node:path';

/** Creates `link` and its folder. The link stays valid when the folder that contains both it and `target` is moved. */
export async function linkRelatively(target: string, link: string): Promise<void> {
  const folder = path.dirname(link);
  await mkdir(folder, { recursive: true });
  // The system follows `..` from the real folder, because the cache may be a link to another disk.
  await symlink(path.relative(await realpath(folder), target), link);
}
