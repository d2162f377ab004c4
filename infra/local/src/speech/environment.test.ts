import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { provideEnvironment } from './environment.ts';

/** A Python that makes an environment of itself, and whose pip notes its calls and fails while there is a file `fail`. */
const PYTHON = `#!/bin/sh
here=$(dirname "$0")
root=ROOT
case "$2" in
  venv) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
  pip) echo "$@" >> "$root/calls"; test ! -e "$root/fail" || { echo 'no network' >&2; exit 1; } ;;
esac
`;

test('is made once, and again when it is half made, broken, or of other packages', async () => {
  const { folder, make, calls } = await fakePython();
  await writeFile(path.join(folder, 'fail'), '');
  await expect(make()).rejects.toThrow('no network');
  expect(await calls()).toHaveLength(1);
  await rm(path.join(folder, 'fail'));
  const program = await make();
  expect(await calls()).toHaveLength(2);
  expect(await make()).toBe(program);
  expect(await calls()).toHaveLength(2);

  await rm(program);
  await make();
  expect(await calls()).toHaveLength(3);
  await writeFile(path.join(folder, 'requirements.txt'), 'b==2\n');
  await make();
  expect(await calls()).toHaveLength(4);
  await make('3.13.0');
  expect(await calls()).toHaveLength(5);
});

test('installs only wheels, and only with the pinned hashes', async () => {
  const { make, calls } = await fakePython();
  await make();
  expect((await calls())[0]).toContain('--only-binary :all: --require-hashes --requirement');
});

async function fakePython() {
  const folder = await mkdtemp(path.join(tmpdir(), 'environment-'));
  onTestFinished(async () => await rm(folder, { recursive: true }));
  const command = path.join(folder, 'python3');
  await writeFile(command, PYTHON.replace('ROOT', folder));
  await chmod(command, 0o755);
  const requirements = path.join(folder, 'requirements.txt');
  await writeFile(requirements, 'a==1\n');
  const make = async (version = '3.12.1') =>
    await provideEnvironment({
      python: { command, version },
      requirements,
      folder: path.join(folder, 'environment'),
      note: () => {},
    });
  const calls = async () => (await readFile(path.join(folder, 'calls'), 'utf8')).trim().split('\n');
  return { folder, make, calls };
}
