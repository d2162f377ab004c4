import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const folder = path.resolve(import.meta.dirname, '../../interop');

/**
 * Installs the frameworks that the tests of interoperability start. They are not part of the workspace, because they take
 * 290 MB and bring another version of LiveKit's SDK.
 */
export async function setup(): Promise<void> {
  process.stderr.write('Installing the other frameworks …\n');
  const args = ['install', '--dir', folder, '--ignore-workspace', '--frozen-lockfile'];
  await promisify(execFile)('pnpm', [...args, '--ignore-scripts']);
}
