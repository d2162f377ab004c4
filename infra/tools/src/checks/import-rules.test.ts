import { expect, test } from 'vitest';
import { repositoryOf } from '../../testing/repository.ts';
import { checkImportRules } from './import-rules.ts';

const files = {
  'apps/api/src/main.ts': '',
  'packages/kit/src/send.ts': '',
  'bench/src/main.ts': '',
};

test('a package that no restriction of imports names is a fault', () => {
  const restrictedGlobs = ['apps/**', 'packages/{db,media}/**'];
  const faults = checkImportRules({ ...repositoryOf(files), restrictedGlobs });
  expect(faults.map(({ advice }) => /for (\S+):/.exec(advice)?.[1])).toEqual([
    'packages/kit',
    'bench',
  ]);
});

test('packages may be named one by one, in braces, or by a wildcard', () => {
  const restrictedGlobs = ['apps/**', 'packages/{db,kit}/**', 'bench/**'];
  expect(checkImportRules({ ...repositoryOf(files), restrictedGlobs })).toEqual([]);
});
