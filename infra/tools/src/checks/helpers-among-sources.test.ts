import { expect, test } from 'vitest';
import { repositoryOf } from '../../testing/repository.ts';
import { checkHelpers } from './helpers-among-sources.ts';

const helper = 'apps/api/src/rows.ts';
const importOf = (name: string) => `import { rows } from '${name}';\n`;

test.each([
  ['a test', 'apps/api/src/list.test.ts', importOf('./rows.ts')],
  ['a test tool', 'apps/api/testing/list.ts', importOf('../src/rows.ts')],
])('a source that only %s imports is a fault', (_, user, text) => {
  const faults = checkHelpers(repositoryOf({ [helper]: 'export const rows = [];', [user]: text }));
  expect(faults).toMatchObject([
    { path: helper, advice: expect.stringContaining('apps/api/testing') },
  ]);
});

test.each([
  ['imported by a source too', { 'apps/api/src/list.ts': importOf('./rows.ts') }],
  [
    'a worker that a source starts',
    { 'apps/api/src/list.ts': "new URL('./rows.ts', import.meta.url);" },
  ],
  ['imported dynamically', { 'apps/api/src/list.ts': "await import('./rows.ts');" }],
  ['re-exported', { 'apps/api/src/index.ts': "export type { Row } from './rows.ts';" }],
])('a source that tests import is no fault when it is %s', (_, others) => {
  const files = { [helper]: '', 'apps/api/src/rows.test.ts': importOf('./rows.ts'), ...others };
  expect(checkHelpers(repositoryOf(files))).toEqual([]);
});

test('an entry of a package may be imported by its tests alone', () => {
  const files = { [helper]: '', 'apps/api/src/rows.test.ts': importOf('./rows.ts') };
  expect(checkHelpers(repositoryOf(files, [helper]))).toEqual([]);
});

test('a file among the sources that is called test-… is a fault, also where a source imports it', () => {
  const files = {
    'apps/api/src/test-rows.ts': '',
    'apps/api/src/list.ts': importOf('./test-rows.ts'),
  };
  expect(checkHelpers(repositoryOf(files))).toMatchObject([{ path: 'apps/api/src/test-rows.ts' }]);
});

test.each([
  'vitest',
  'vitest/node',
  '@session/testing',
  '@session/testing/fuzz',
  '@session/db/testing',
  '../testing/rows.ts',
])('a source that imports %s is a fault, on the line of the import', (name) => {
  const files = { 'apps/api/src/list.ts': `const one = 1;\nimport { a } from '${name}';\n` };
  expect(checkHelpers(repositoryOf(files))).toMatchObject([
    { path: 'apps/api/src/list.ts', line: 2 },
  ]);
});

test('tests, test tools and the package of test tools may import test tools', () => {
  const text = importOf('vitest') + importOf('@session/testing');
  const files = {
    'apps/api/src/list.test.ts': text,
    'apps/api/testing/list.ts': text,
    'packages/testing/src/database.ts': text,
    'packages/testing/src/fuzz/send.ts': text,
  };
  expect(checkHelpers(repositoryOf(files))).toEqual([]);
});
