import { execFile } from 'node:child_process';
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

const folder = path.resolve(import.meta.dirname, '../../interop');
const cache = path.resolve(import.meta.dirname, '../../../.cache');
const run = promisify(execFile);

/**
 * Installs the Python packages (550 MB) and builds the collector that the tests of interoperability start. Without Python,
 * pip or Go, the tests that need them are skipped.
 */
export async function setup(project: TestProject): Promise<void> {
  process.stderr.write('Installing the other frameworks …\n');
  const collector = buildCollector();
  project.provide('interopPython', await installPython('interop-python', 'requirements.txt'));
  const framework = await installPython('interop-agents', 'requirements-agents.txt');
  project.provide('interopFramework', framework);
  project.provide('interopCollector', await collector);
}

/** Returns the path of OpenTelemetry's collector, or an empty string if this machine cannot build it. */
async function buildCollector(): Promise<string> {
  try {
    const { stdout } = await run('sh', [path.join(folder, 'collector', 'build.sh')]);
    return stdout.trim();
  } catch (error) {
    process.stderr.write(`OpenTelemetry's collector cannot be built: ${String(error)}\n`);
    return '';
  }
}

/** Returns the path of a Python that has these packages, or an empty string if they cannot be installed. */
async function installPython(name: string, list: string): Promise<string> {
  const pythonFolder = path.join(cache, name);
  const python = path.join(pythonFolder, 'bin', 'python');
  try {
    if (!(await stat(python).catch(() => undefined)))
      await run('python3', ['-m', 'venv', pythonFolder]);
    const requirements = path.join(folder, list);
    const options = ['--quiet', '--disable-pip-version-check', '--only-binary', ':all:'];
    await run(python, ['-m', 'pip', 'install', ...options, '--requirement', requirements]);
    return python;
  } catch (error) {
    process.stderr.write(`The packages of ${list} cannot be installed: ${String(error)}\n`);
    await rm(pythonFolder, { recursive: true, force: true });
    return '';
  }
}
