import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import type { Timeline } from '../../src/index.ts';

const folder = path.resolve(import.meta.dirname, '../../src/timeline');

/** An edit that takes a rule away: `text`, which `file` has once, becomes `instead`. */
export interface Mutation {
  readonly file: string;
  readonly text: string;
  readonly instead: string;
}

/** Returns the timeline without that rule. The edited source is only in memory. */
export async function loadMutant({ file, text, instead }: Mutation): Promise<new () => Timeline> {
  const mutated = path.join(folder, file);
  const source = await readFile(mutated, 'utf8');
  if (source.split(text).length !== 2) throw new Error(`not there once in ${file}: ${text}`);
  const { outputFiles } = await build({
    entryPoints: [path.join(folder, 'timeline.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    conditions: ['@source'],
    plugins: [
      {
        name: 'mutation',
        setup(esbuild) {
          esbuild.onLoad({ filter: /\.ts$/ }, ({ path: loaded }) =>
            loaded === mutated
              ? { contents: source.replace(text, () => instead), loader: 'ts' }
              : null,
          );
        },
      },
    ],
  });
  const [bundle] = outputFiles;
  if (!bundle) throw new Error('esbuild made no bundle');
  const url = `data:text/javascript;base64,${Buffer.from(bundle.contents).toString('base64')}`;
  const loaded: { Timeline: new () => Timeline } = await import(/* @vite-ignore */ url);
  return loaded.Timeline;
}
