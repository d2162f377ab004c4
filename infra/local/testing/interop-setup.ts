import { execFile } from 'node:child_process';
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

const folder = path.resolve(import.meta.dirname, '../../interop');
const pythonFolder = path.resolve(import.meta.dirname, '../../../.cache/interop-python');
const run = promisify(execFile);

/**
 * Installs the frameworks that the tests of interoperability start. They are not part of the workspace, because they take
 * 420 MB and bring another version of LiveKit's SDK. Without Python or pip, the tests that need them are skipped.
 */
export async function setup(project: TestProject): Promise<void> {
  process.stderr.write('Installing the other frameworks …\n');
  const args = ['install', '--dir', folder, '--ignore-workspace', '--frozen-lockfile'];
  await run('pnpm', [...args, '--ignore-scripts']);
  project.provide('interopPython', await installPython());
}

/** Returns the path of a Python that has LiveKit's SDK, or an empty string if this machine cannot have it. */
async function installPython(): Promise<string> {
  const python = path.join(pythonFolder, 'bin', 'python');
  try {
    if (!(await stat(python).catch(() => undefined)))
      await run('python3', ['-m', 'venv', pythonFolder]);
    const requirements = path.join(folder, 'requirements.txt');
    const options = ['--quiet', '--disable-pip-version-check', '--only-binary', ':all:'];
    await run(python, ['-m', 'pip', 'install', ...options, '--requirement', requirements]);
    return python;
  } catch (error) {
    process.stderr.write(`LiveKit's Python SDK cannot be installed: ${String(error)}\n`);
    await rm(pythonFolder, { recursive: true, force: true });
    return '';
  }
}
