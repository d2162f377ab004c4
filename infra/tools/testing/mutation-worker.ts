import path from 'node:path';
import { inspect } from 'node:util';
import { createVitest } from 'vitest/node';
import type { Mutant } from '../src/mutant.ts';

// A process of `src/run-mutants.ts`, in the folder whose tests it runs. For each message it runs tests, and sends what failed.
const root = process.cwd();
const config = path.join(import.meta.dirname, 'mutation.config.ts');
const vitest = await createVitest('test', {
  root,
  config,
  watch: false,
  reporters: [
    {
      onTestCaseResult(test) {
        if (test.result().state === 'failed') void vitest.cancelCurrentRun('test-failure');
      },
    },
  ],
});

process.on('message', (question: Question) => {
  void run(question).then(
    (failures) => process.send?.(failures),
    (error) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});
process.on('disconnect', () => void vitest.close().finally(() => process.exit()));

interface Question {
  readonly tests: readonly string[];
  readonly mutant: Mutant | null;
}

/** Runs these test files until a test fails. Returns the names of failed tests. */
async function run({ tests, mutant }: Question): Promise<readonly string[]> {
  process.env['MUTANT'] = JSON.stringify(mutant);
  if (mutant) vitest.invalidateFile(path.join(root, mutant.file));
  const specifications = await vitest.globTestSpecifications([...tests]);
  const { unhandledErrors } = await vitest.runTestSpecifications(specifications);
  if (mutant) vitest.invalidateFile(path.join(root, mutant.file));
  const failures = specifications.flatMap(({ testModule, moduleId }) => {
    const failed = [...(testModule?.children.allTests('failed') ?? [])].map(
      (test) => test.fullName,
    );
    return testModule?.ok() || failed.length > 0 ? failed : [`${moduleId} cannot be loaded`];
  });
  return [...failures, ...unhandledErrors.map((error) => inspect(error))];
}
