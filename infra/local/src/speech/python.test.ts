import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findPython } from './python.ts';

test('the first Python that is new enough is taken, an old one before it is passed over', async () => {
  const PATH = await binaries({ python3: answers('3\n9\n18'), 'python3.12': answers('3\n12\n1') });
  expect(await findPython({ PATH })).toMatchObject({ command: '/python', version: '3.12.1' });
});

test.for([
  [{}, 'there is none on the PATH'],
  [{ python3: answers('3\n8\n1') }, 'python3 is 3.8.1'],
  [{ python3: 'echo "No module named ensurepip" >&2; exit 1' }, 'apt install python3-venv'],
] as const)('%o cannot be used, and the sentence says why', async ([programs, reason]) => {
  const PATH = await binaries(programs);
  await expect(findPython({ PATH })).rejects.toThrow(reason);
  await expect(findPython({ PATH })).rejects.toThrow(
    /^Python 3\.10 .*: install it and start again\.$/,
  );
});

function answers(version: string): string {
  return `printf '%s\\n/python\\n' '${version}'`;
}

async function binaries(programs: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'python-'));
  onTestFinished(async () => await rm(folder, { recursive: true }));
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(path.join(folder, name), `#!/bin/sh\n${script}\n`);
    await chmod(path.join(folder, name), 0o755);
  }
  return folder;
}
