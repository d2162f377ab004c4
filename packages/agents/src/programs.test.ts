import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { findProgram } from './programs.ts';

const run = promisify(execFile);

test('an installed program is run from its source, like this process', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'apps-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(path.join(folder, 'parrot/src'), { recursive: true });
  const main = path.join(folder, 'parrot/src/main.ts');
  await writeFile(main, 'const word: string = "hello"; console.log(word);');
  const command = findProgram(folder, 'parrot');
  expect(command).toEqual({ file: process.execPath, args: ['--conditions=@source', main] });
  const { stdout } = await run(command?.file ?? '', [...(command?.args ?? [])]);
  expect(stdout).toBe('hello\n');
});

test.each(['parrot', 'agents', '', '..', 'constructor'])(
  'a program called “%s” is not installed',
  (program) => {
    expect(findProgram(import.meta.dirname, program)).toBeUndefined();
  },
);
