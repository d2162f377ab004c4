import path from 'node:path';
import type { LocalImage } from './cluster.ts';
import { productVersion } from './product-version.ts';

const root = path.resolve(import.meta.dirname, '../../../..');

const AGENTS = ['echo-agent', 'light-agent', 'core-agent'] as const;

export async function productImages(): Promise<Record<string, LocalImage>> {
  const version = await productVersion();
  const images = AGENTS.map((agent): [string, LocalImage] => [
    `session-service/${agent}:${version}`,
    {
      entrypoint: ['node', '--conditions=@source', `apps/${agent}/src/main.ts`],
      workingDir: root,
      user: 1000,
      env: { NODE_COMPILE_CACHE: path.join(root, '.cache/node') },
    },
  ]);
  return Object.fromEntries(images);
}
