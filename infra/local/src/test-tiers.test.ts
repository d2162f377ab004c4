import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import config from '../../../vitest.config.ts';
import type { Total } from '../testing/total.ts';
import { listUnitTests } from '../testing/unit-tests.ts';

test('a test is of the tier unit unless it or what it imports asks for a server of the run', async () => {
  const root = await makeFolder({
    'plain.test.ts': "import { expect, test } from 'vitest';\nimport { sum } from './sum.ts';",
    'sum.ts': "import { readFile } from 'node:fs/promises';",
    'asking.test.ts': "import { expect, inject, test } from 'vitest';",
    'database.test.ts': "import {\n  createTestDatabase,\n} from '@session/testing';",
    'far.test.ts': "import { one } from './tools/one.ts';",
    'tools/one.ts': "import { two } from './two.ts';",
    'tools/two.ts':
      "import { one } from './one.ts';\nexport { testMedia } from '@session/testing';",
    'type.test.ts': "import type { TestMedia } from '@session/testing';",
    'model.test.ts': "import { scripted } from '@session/conversation/testing';",
    'room.test.ts': "import { joinRoom } from '@session/media/testing';",
    'whole.stack.test.ts': '',
  });
  const units = listUnitTests(root, ['**/*.test.ts'], ['**/*.stack.test.ts']);
  expect(units.toSorted()).toEqual(['model.test.ts', 'plain.test.ts', 'type.test.ts']);
});

test('each test file of the repository is of exactly one tier', async () => {
  const root = path.join(import.meta.dirname, '../../..');
  const files = [
    'ls-files',
    '--cached',
    '--others',
    '--exclude-standard',
    '*.test.ts',
    '*.test.tsx',
  ];
  const { stdout } = await promisify(execFile)('git', files, { cwd: root });
  const tests = stdout.split('\n').filter((file) => file && existsSync(path.join(root, file)));
  const tiers = (config.test?.projects ?? []).flatMap((project) => {
    if (typeof project !== 'object' || !('test' in project)) return [];
    const { include = [], exclude = [] } = project.test ?? {};
    return globSync(include, { cwd: root, exclude });
  });
  expect(tiers.toSorted()).toEqual(tests.toSorted());
});

test('the last line of several runs is their total, after what failed, what was left out and the slowest tests', async () => {
  const passed: Total = { passed: 7, skipped: 1, failures: [], slow: [{ name: 'a', ms: 1500 }] };
  const failed: Total = { ...passed, failures: ['b failed'], slow: [{ name: 'b', ms: 2000 }] };
  const folder = await makeFolder({
    'first.json': JSON.stringify(passed),
    'second.json': JSON.stringify(failed),
  });
  const program = path.join(import.meta.dirname, '../testing/print-total.ts');
  const other = await makeFolder({ 'left-out': 'left out: the tier c' });
  const args = ['--conditions=@source', program, folder, path.join(other, 'left-out')];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const lines = stdout.split('\n').filter(Boolean);
  const slow = ['The slowest tests', '2.0 s: b', '1.5 s: a'];
  const end = ['left out: the tier c', '2 skipped', 'failed: b failed', '14 passed, 1 failed'];
  expect(lines).toEqual([...slow, ...end]);
});

async function makeFolder(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'test-tiers-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  return folder;
}
