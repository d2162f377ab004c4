import { rm } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'rolldown';

const root = path.resolve(import.meta.dirname, '../../../..');

export interface AppBundle {
  /** The bundle is written to `<app>/dist` in this folder. */
  readonly folder: string;
  readonly app: string;
  /** The files of the app's `src` that are run, without `.ts`. Each becomes a file of the bundle. */
  readonly programs: readonly string[];
  readonly external: readonly string[];
}

/** Bundles programs of an app with what they import, and returns the files of which the bundle consists. */
export async function bundleApp({ folder, app, programs, external }: AppBundle): Promise<string[]> {
  const dir = path.join(folder, app, 'dist');
  await rm(dir, { recursive: true, force: true });
  const sources = path.join(root, 'apps', app, 'src');
  const { output } = await build({
    input: Object.fromEntries(
      programs.map((program) => [path.basename(program), path.join(sources, `${program}.ts`)]),
    ),
    platform: 'node',
    external: [...external],
    resolve: { conditionNames: ['@source', 'node', 'import', 'module', 'default'] },
    output: { dir, format: 'esm' },
  });
  return output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
}
