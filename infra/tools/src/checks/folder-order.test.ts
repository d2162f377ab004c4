import { expect, test } from 'vitest';
import { repositoryOf } from '../../testing/repository.ts';
import { checkFolderOrder, type FolderOrder, ROOT } from './folder-order.ts';

const order: FolderOrder = {
  layers: [['main'], ['slots'], ['room', 'history'], [ROOT]],
  typesForAll: ['main'],
};
const files = {
  'apps/recorder/src/main.ts': "import { a } from './slots/a.ts';",
  'apps/recorder/src/slots/a.ts':
    "import { b } from '../room/deep/b.ts';\nimport { c } from './c.ts';",
  'apps/recorder/src/slots/c.ts': "import { d } from '../history/d.ts';",
  'apps/recorder/src/room/deep/b.ts': "import { e } from '../../timing.ts';",
  'apps/recorder/src/history/d.ts': "import { z } from 'zod';",
  'apps/recorder/src/timing.ts': "import { f } from './config.ts';",
  'apps/recorder/src/config.ts': '',
};
const check = (others: Readonly<Record<string, string>> = {}, changed = order) =>
  checkFolderOrder(repositoryOf({ ...files, ...others }), { 'apps/recorder/src': changed });

test('imports of lower layers, of the same folder and of packages are no fault', () => {
  expect(check()).toEqual([]);
});

test.each([
  ['up', 'room/up.ts', "const a = 1;\nimport { a } from '../slots/a.ts';", 2],
  ['sideways', 'room/sideways.ts', "import { d } from '../history/d.ts';", 1],
  ['up from a deep folder', 'history/deep/up.ts', "import { a } from '../../slots/a.ts';", 1],
  ['from a root file into a folder', 'clock.ts', "import { d } from './history/d.ts';", 1],
  ['up as a re-export', 'room/again.ts', "export { a } from '../slots/a.ts';", 1],
  [
    'up over several lines',
    'room/long.ts',
    "import {\n  a,\n  type B,\n} from '../slots/a.ts';",
    1,
  ],
  ['up dynamically', 'room/late.ts', "\n\nconst a = await import('../slots/a.ts');", 3],
  ['up for a type', 'room/type.ts', "import type { A } from '../slots/a.ts';", 1],
])('an import that goes %s is a fault, with its line', (_, name, text, line) => {
  const path = `apps/recorder/src/${name}`;
  expect(check({ [path]: text })).toMatchObject([{ path, line }]);
});

test('types of a file that is there for all may be imported from anywhere, its values may not', () => {
  const path = 'apps/recorder/src/room/up.ts';
  expect(check({ [path]: "import type { Deps } from '../main.ts';" })).toEqual([]);
  expect(check({ [path]: "import { type Deps, deps } from '../main.ts';" })).toHaveLength(1);
});

test('a test may import what it wants', () => {
  const text = "import { a } from '../slots/a.ts';";
  expect(check({ 'apps/recorder/src/room/b.test.ts': text })).toEqual([]);
});

test('a folder without a layer is a fault, once, and so is a layer without a folder', () => {
  const text = "import { a } from '../slots/a.ts';";
  const spool = { 'apps/recorder/src/spool/a.ts': text, 'apps/recorder/src/spool/b.ts': text };
  const advice = 'Give spool a layer in the order of apps/recorder/src.';
  expect(check(spool).map((fault) => fault.advice)).toEqual([advice]);
  const layers = [...order.layers, ['session']];
  expect(check({}, { layers }).map((fault) => fault.advice)).toEqual([
    'Remove session from the order of apps/recorder/src: it has no such file or folder.',
  ]);
});

test('a package without an order may have root files only', () => {
  const flat = {
    'packages/kit/src/a.ts': "import { b } from './b.ts';",
    'packages/kit/src/b.ts': '',
  };
  expect(checkFolderOrder(repositoryOf(flat), {})).toEqual([]);
  const deep = { ...flat, 'packages/kit/src/clock/a.ts': '' };
  expect(checkFolderOrder(repositoryOf(deep), {})).toMatchObject([
    { advice: expect.stringContaining('clock') },
  ]);
});

test('another folder of a package has an order of its own', () => {
  const web = {
    'apps/console/src/main.ts': '',
    'apps/console/web/pages/home.tsx': "import { Button } from '../ui/button.tsx';",
    'apps/console/web/ui/button.tsx': "import { Home } from '../pages/home.tsx';",
  };
  const layers = [['pages'], ['ui']];
  expect(checkFolderOrder(repositoryOf(web), { 'apps/console/web': { layers } })).toMatchObject([
    { path: 'apps/console/web/ui/button.tsx', line: 1 },
  ]);
});
