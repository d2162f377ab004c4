import { expect, test } from 'vitest';
import { repositoryOf } from '../../testing/repository.ts';
import { faultLine } from '../source-file.ts';
import { checkMutants } from './mutant-texts.ts';

const repository = repositoryOf({
  'packages/kit/src/clock.ts': 'export const isOver = (at: number) => at >= 5 || at >= 9;\n',
  'packages/kit/src/clock.test.ts': '',
});

test('a mutant whose text occurs once in its file, and whose test exists, is no fault', () => {
  const mutated = { file: 'packages/kit/src/clock.ts', changes: [['at >= 5', 'at > 5']] } as const;
  expect(checkMutants(repository, [mutated])).toEqual([]);
});

test('a mutant that has rotted is a fault that says what to do', () => {
  const faults = checkMutants(repository, [
    {
      file: 'packages/kit/src/clock.ts',
      changes: [
        ['at > 5', 'at >= 5'],
        ['at >=', 'at >'],
      ],
    },
    { file: 'packages/kit/src/gone.ts', changes: [['5', '6']] },
  ]);
  expect(faults.map(faultLine)).toEqual(
    [
      '"at > 5" of packages/kit/src/clock.ts: it does not occur there',
      '"at >=" of packages/kit/src/clock.ts: it occurs 2 times there',
      '"5" of packages/kit/src/gone.ts: its test packages/kit/src/gone.test.ts does not exist',
      '"5" of packages/kit/src/gone.ts: it does not occur there',
    ].map((rest) => `infra/tools/src/mutants:1: Change or remove the mutant ${rest}.`),
  );
});
