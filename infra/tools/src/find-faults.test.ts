import { expect, test } from 'vitest';
import { repositoryOf } from '../testing/repository.ts';
import { findFaults } from './find-faults.ts';
import { faultLine } from './source-file.ts';

test('the faults of all checks come in the order of their files and lines, each as file:line: advice', () => {
  const text = "import { test } from 'vitest';\n/** Gives b. */\nexport interface Answer {}\n";
  const repository = repositoryOf({
    'packages/kit/src/b.ts': text,
    'packages/agents/src/deep/a.ts': 'export type Answer = string;\n',
  });
  const lines = findFaults(repository).map(faultLine);
  const places = lines.map((line) => /^(\S+):/.exec(line)?.[1]);
  expect(places.filter((place) => place?.startsWith('packages/'))).toEqual([
    'packages/agents/src/deep/a.ts:1',
    'packages/kit/src/b.ts:1',
    'packages/kit/src/b.ts:2',
    'packages/kit/src/b.ts:3',
  ]);
  expect(places).toContain('.oxlintrc.json:1');
  expect(places).toContain('infra/tools/src/folder-orders.ts:1');
});
