import path from 'node:path';
import type { Fault, Repository } from '../source-file.ts';

/** Finds packages for which the linter restricts no imports, so that nothing keeps them at their level. */
export function checkImportRules({ packages, restrictedGlobs }: Repository): Fault[] {
  return packages
    .filter(
      ({ folder }) => !restrictedGlobs.some((glob) => path.matchesGlob(`${folder}/src/a.ts`, glob)),
    )
    .map(({ folder }) => ({
      path: '.oxlintrc.json',
      line: 1,
      advice: `Add an override with no-restricted-imports for ${folder}: say which packages it may import.`,
    }));
}
