import { mkdir, realpath, symlink } from 'node:fs/promises';
import path from 'node:path';

/** Creates `link` and its folder. The link stays valid when the folder that contains both it and `target` is moved. */
export async function linkRelatively(target: string, link: string): Promise<void> {
  const folder = path.dirname(link);
  await mkdir(folder, { recursive: true });
  // From the real folder, where the system resolves `..`: the cache may be a link to another disk.
  await symlink(path.relative(await realpath(folder), target), link);
}
