import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { run } from '../../src/supervision/tool.ts';

// Debian 12's own 1.0.3 fails at `network_mode: host`.
const VERSION = '1.6.0';

/** Returns the path of podman-compose, which is installed below `cache` where it is missing. */
export async function providePodmanCompose(cache: string): Promise<string> {
  const folder = path.join(cache, `podman-compose-${VERSION}`);
  const program = path.join(folder, 'bin/podman-compose');
  if (existsSync(program)) return program;
  await rm(folder, { recursive: true, force: true });
  await run('python3', ['-m', 'venv', folder]);
  const options = ['--quiet', '--disable-pip-version-check'];
  const python = path.join(folder, 'bin/python');
  await run(python, ['-m', 'pip', 'install', ...options, `podman-compose==${VERSION}`]);
  return program;
}
