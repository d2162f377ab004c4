import { execFile } from 'node:child_process';
import { access, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { StartError } from '@session/kit';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../../..');

/** Returns a checkout of `ref` with its packages, made at its first use. Throws a StartError if this clone lacks it. */
export async function provideCheckout(ref: string): Promise<string> {
  const found = await run('git', ['rev-parse', '--verify', `${ref}^{commit}`], { cwd: root }).catch(
    (cause: unknown) => {
      throw new StartError(`This clone has no commit ${ref}.`, { cause });
    },
  );
  const commit = found.stdout.trim();
  const folder = path.join(root, '.cache/releases', commit);
  const mark = path.join(folder, 'node_modules/.modules.yaml');
  const isReady = await access(mark).then(
    () => true,
    () => false,
  );
  if (isReady) return folder;
  await rm(folder, { recursive: true, force: true });
  await run('git', ['clone', '--quiet', '--shared', '--no-checkout', root, folder]);
  await run('git', ['checkout', '--quiet', commit], { cwd: folder });
  await run('pnpm', ['install', '--frozen-lockfile'], { cwd: folder });
  return folder;
}
