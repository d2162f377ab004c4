import { expect, test } from 'vitest';
import { repositoryOf } from '../../testing/repository.ts';
import { checkDocComments } from './doc-comments.ts';

test.each([
  ['on one line', '/** Gives the sum. */\nexport const sum = 1;', 1],
  ['of several lines', 'const one = 1;\n\n/**\n * Gives the sum.\n */', 3],
  ['of a member', 'interface Sum {\n  /** Gives the sum. */\n  sum(): number;\n}', 2],
  ['with Tells', '/** Tells whether it is. */', 1],
  ['with Lets', '/** Lets nothing pass. */', 1],
])(
  'a doc comment %s that begins with a verb that says little is a fault, with its line',
  (_, text, line) => {
    const faults = checkDocComments(repositoryOf({ 'packages/kit/src/sum.ts': text }));
    expect(faults).toMatchObject([{ path: 'packages/kit/src/sum.ts', line }]);
  },
);

test.each([
  ['Returns', '/** Returns the sum. Gives up after 3 s. */'],
  ['a longer word', '/** Letsencrypt signs it. */'],
  ['a plain comment', '// Gives up.'],
  ['a text', "const text = 'Gives';"],
  ['a later line', '/**\n * Returns what the store\n * Gives back.\n */'],
])('%s is no fault', (_, text) => {
  expect(checkDocComments(repositoryOf({ 'packages/kit/src/sum.ts': text }))).toEqual([]);
});

test('tests and test tools are read too', () => {
  const text = '/** Gives the sum. */';
  const files = { 'apps/api/src/sum.test.ts': text, 'apps/api/testing/sum.ts': text };
  expect(checkDocComments(repositoryOf(files))).toHaveLength(2);
});
