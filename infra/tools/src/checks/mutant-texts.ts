import { type MutatedFile, mutantsOf, mutate } from '../mutant.ts';
import type { Fault, Repository } from '../source-file.ts';

/** Finds mutants that cannot be put into their files, and mutants whose tests do not exist. */
export function checkMutants(
  { packages }: Repository,
  mutatedFiles: readonly MutatedFile[],
): Fault[] {
  const texts = new Map(
    packages.flatMap(({ files }) => files.map(({ path, text }) => [path, text] as const)),
  );
  return mutantsOf(mutatedFiles).flatMap((mutant): Fault[] => {
    const { file, tests, text } = mutant;
    const faultOf = (why: string): Fault => ({
      path: 'infra/tools/src/mutants',
      line: 1,
      advice: `Change or remove the mutant ${JSON.stringify(text)} of ${file}: ${why}.`,
    });
    const missing = tests.filter((test) => !texts.has(test));
    const faults = missing.map((test) => faultOf(`its test ${test} does not exist`));
    try {
      mutate(texts.get(file) ?? '', mutant);
    } catch (error) {
      faults.push(faultOf(error instanceof Error ? error.message : String(error)));
    }
    return faults;
  });
}
