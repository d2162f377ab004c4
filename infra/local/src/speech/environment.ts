import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Note } from '../supervision/progress.ts';
import { run, type ToolOptions } from '../supervision/tool.ts';
import type { Python } from './python.ts';

/** Written last: an environment without it is incomplete. */
const STAMP = 'complete';

export interface EnvironmentOptions extends Pick<ToolOptions, 'env' | 'stop' | 'onSpawn'> {
  readonly python: Python;
  readonly requirements: string;
  readonly folder: string;
  readonly note: Note;
}

/**
 * Returns a Python with the packages of `requirements`, made again when incomplete or changed. Throws an Error with the
 * end of pip's output.
 */
export async function provideEnvironment(options: EnvironmentOptions): Promise<string> {
  const { python, requirements, folder, note, ...toolOptions } = options;
  const program = path.join(folder, 'bin', 'python');
  const stamp = await stampOf(python, requirements);
  if ((await isStamped(folder, stamp)) && (await runs(program, toolOptions))) return program;
  await rm(folder, { recursive: true, force: true });
  note('making an environment');
  await run(python.command, ['-m', 'venv', folder], toolOptions);
  const pipOptions = ['--disable-pip-version-check', '--no-input', '--progress-bar', 'off'];
  const pinned = ['--only-binary', ':all:', '--require-hashes', '--requirement', requirements];
  await run(program, ['-m', 'pip', 'install', ...pipOptions, ...pinned], {
    ...toolOptions,
    onOutput: (text) => noteSteps(text, note),
  });
  await writeFile(path.join(folder, STAMP), stamp);
  return program;
}

async function stampOf({ command, version }: Python, requirements: string): Promise<string> {
  const hash = createHash('sha256').update(await readFile(requirements));
  return `${command} ${version} ${hash.digest('hex')}\n`;
}

async function isStamped(folder: string, stamp: string): Promise<boolean> {
  return (await readFile(path.join(folder, STAMP), 'utf8').catch(() => '')) === stamp;
}

/** The environment's Python is a link to the machine's, which may have been replaced. */
async function runs(program: string, options: ToolOptions): Promise<boolean> {
  return await run(program, ['--version'], options).then(
    () => true,
    () => false,
  );
}

function noteSteps(output: string, note: Note): void {
  for (const [, step = '', what = ''] of output.matchAll(
    /^\s*(Collecting|Installing) ([\w.-]+)/gm,
  )) {
    note(step === 'Collecting' ? what : 'unpacking');
  }
}
