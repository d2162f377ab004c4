import path from 'node:path';
import { run } from '../../src/supervision/tool.ts';

/** The Debian packages with the programs that build and run the images. */
export const IMAGE_PACKAGES = [
  'buildah',
  'podman',
  'runc',
  'mmdebstrap',
  'iptables',
  'iproute2',
  'containernetworking-plugins',
  'debian-archive-keyring',
  'python3-venv',
] as const;

const root = path.resolve(import.meta.dirname, '../../../..');
const PROGRAMS = ['buildah', 'podman', 'runc', 'mmdebstrap', 'git', 'ip', 'iptables'] as const;

/** Returns what this machine lacks to build the images and to run them as containers, in words. It is empty where nothing is. */
export async function findMissingForImages(): Promise<string[]> {
  if (process.getuid?.() !== 0) return ['root'];
  const missing = [];
  for (const program of PROGRAMS) {
    if (!(await succeeds('which', [program]))) missing.push(`the program ${program}`);
  }
  if (!(await succeeds('python3', ['-c', 'import ensurepip, venv'])))
    missing.push('a Python with venv');
  const unshare = ['--mount', '--net', '--pid', '--ipc', '--uts', '--fork', 'true'];
  if (!(await succeeds('unshare', unshare))) missing.push('the right to make namespaces');
  // There the layers of images cannot be laid one over the other.
  if ((await run('stat', ['--file-system', '--format=%T', root])).startsWith('overlay'))
    missing.push('a disk below .cache that is no overlay itself');
  return missing;
}

async function succeeds(program: string, args: readonly string[]): Promise<boolean> {
  return await run(program, args).then(
    () => true,
    () => false,
  );
}
