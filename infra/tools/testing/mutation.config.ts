import path from 'node:path';
import { mergeConfig, type Plugin, type ViteUserConfig } from 'vitest/config';
import { type Mutant, mutate } from '../src/mutant.ts';

const root = process.cwd();
const module: { default: ViteUserConfig } = await import(path.join(root, 'vitest.config.ts'));

const config: ViteUserConfig = mergeConfig(module.default, {
  plugins: [mutation()],
  test: {
    maxWorkers: 1,
    // The failures of mutants must not reorder the next run.
    cache: false,
    // The cache on the disk has the files without the mutant.
    fsModuleCache: false,
    // A test that takes longer counts as failed.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
  },
});
// Each tier costs half a second at the start.
const tiers = config.test?.projects?.filter((project) =>
  /"name":"(unit|services)"/.test(JSON.stringify(project)),
);

/** The configuration of the repository in which the process runs, with the mutant of the variable MUTANT. */
export default tiers ? { ...config, test: { ...config.test, projects: tiers } } : config;

/** Puts the mutant into its file when vitest loads the file: nothing is written. */
function mutation(): Plugin {
  return {
    name: 'mutation',
    enforce: 'pre',
    transform(source, id) {
      const mutant: Mutant | null = JSON.parse(process.env['MUTANT'] ?? 'null');
      return mutant && id === path.join(root, mutant.file) ? mutate(source, mutant) : undefined;
    },
  };
}
